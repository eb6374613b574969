"""Capitals and other large cities, and the country or the state whose rules hold in them.

Of federal countries whose states have codes in use (US, CA, AU) the state is given: `us-ca` sees the rules of `us` too.
"""

from functools import cache

_CITIES_BY_CODE = {
    "ae": "abu_dhabi dubai sharjah", "af": "kabul", "al": "tirana", "am": "yerevan", "ao": "luanda",
    "ar": "buenos_aires rosario*", "at": "vienna* wien graz linz salzburg innsbruck", "az": "baku",
    "au-act": "canberra", "au-nsw": "sydney*", "au-vic": "melbourne", "au-qld": "brisbane gold_coast* cairns",
    "au-wa": "perth", "au-sa": "adelaide*", "au-tas": "hobart", "au-nt": "darwin*", "ba": "sarajevo",
    "bd": "dhaka chittagong", "be": "brussels antwerp ghent liège bruges bruxelles", "bg": "sofia* plovdiv varna",
    "bh": "manama", "bo": "la_paz sucre* santa_cruz_de_la_sierra",
    "br": "são_paulo sao_paulo rio_de_janeiro brasília brasilia belo_horizonte salvador_da_bahia porto_alegre"
    " curitiba recife fortaleza", "by": "minsk", "ca-on": "toronto ottawa mississauga",
    "ca-qc": "montreal montréal quebec_city", "ca-bc": "vancouver", "ca-ab": "calgary edmonton", "ca-mb": "winnipeg",
    "ca-ns": "halifax*", "ch": "zurich zürich geneva basel bern lausanne lugano", "ci": "abidjan yamoussoukro",
    "cl": "santiago_de_chile valparaíso valparaiso", "cm": "yaoundé yaounde douala",
    "cn": "beijing shanghai shenzhen guangzhou chengdu tianjin wuhan hangzhou nanjing chongqing xi'an",
    "co": "bogotá bogota medellín medellin cartagena barranquilla", "cd": "kinshasa", "cu": "havana*",
    "cy": "nicosia limassol larnaca", "cz": "prague praha brno ostrava",
    "de": "berlin munich münchen muenchen hamburg cologne* köln koeln frankfurt* stuttgart düsseldorf"
    " duesseldorf dusseldorf dortmund essen* leipzig dresden* hanover hannover nuremberg nürnberg bremen"
    " bonn", "dk": "copenhagen københavn aarhus odense aalborg", "dz": "algiers oran*", "ec": "quito guayaquil",
    "ee": "tallinn tartu", "eg": "cairo alexandria* giza",
    "es": "madrid barcelona valencia* seville sevilla zaragoza málaga malaga bilbao palma_de_mallorca",
    "et": "addis_ababa", "fi": "helsinki espoo tampere turku oulu",
    "fr": "paris* marseille marseilles lyon toulouse nice* nantes strasbourg montpellier bordeaux* lille rennes",
    "ge": "tbilisi batumi", "gh": "accra kumasi", "gr": "athens thessaloniki piraeus", "gt": "guatemala_city",
    "hr": "zagreb dubrovnik", "hn": "tegucigalpa", "hu": "budapest debrecen",
    "id": "jakarta surabaya bandung* denpasar", "ie": "dublin cork* galway limerick*",
    "il": "jerusalem tel_aviv haifa",
    "in": "new_delhi delhi mumbai bombay* bangalore bengaluru hyderabad chennai kolkata calcutta pune ahmedabad"
    " jaipur lucknow", "iq": "baghdad basra erbil", "ir": "tehran isfahan mashhad", "is": "reykjavik reykjavík",
    "it": "rome* roma* milan milano naples* turin torino florence* firenze venice* bologna* genoa palermo"
    " verona* bari*", "jm": "kingston_jamaica", "jo": "amman",
    "jp": "tokyo osaka kyoto yokohama nagoya sapporo fukuoka hiroshima kobe*", "ke": "nairobi mombasa",
    "kh": "phnom_penh", "kr": "seoul busan incheon", "kw": "kuwait_city", "kz": "astana* almaty", "lb": "beirut",
    "lk": "colombo", "lt": "vilnius kaunas", "lu": "luxembourg_city", "lv": "riga", "ly": "tripoli*",
    "ma": "casablanca* rabat marrakech marrakesh fez* tangier", "mc": "monte_carlo", "md": "chisinau chișinău",
    "me": "podgorica", "mk": "skopje", "mm": "yangon naypyidaw", "mn": "ulaanbaatar ulan_bator", "mt": "valletta",
    "mx": "mexico_city ciudad_de_méxico guadalajara monterrey tijuana cancún cancun",
    "my": "kuala_lumpur penang* johor_bahru", "mz": "maputo", "ng": "lagos abuja kano* ibadan",
    "nl": "amsterdam rotterdam the_hague den_haag utrecht eindhoven groningen",
    "no": "oslo bergen trondheim stavanger", "np": "kathmandu", "nz": "auckland wellington* christchurch*",
    "om": "muscat*", "pa": "panama_city", "pe": "lima* cusco arequipa", "ph": "manila* quezon_city cebu davao",
    "pk": "islamabad karachi lahore peshawar",
    "pl": "warsaw warszawa kraków krakow cracow wrocław wroclaw gdańsk gdansk poznań poznan łódź lodz*",
    "pt": "lisbon lisboa porto* braga", "py": "asunción asuncion", "qa": "doha",
    "ro": "bucharest bucurești cluj-napoca timișoara timisoara", "rs": "belgrade novi_sad",
    "ru": "moscow saint_petersburg st_petersburg st._petersburg novosibirsk yekaterinburg kazan*", "rw": "kigali",
    "sa": "riyadh jeddah mecca* medina* dammam", "se": "stockholm gothenburg göteborg malmö malmo* uppsala",
    "si": "ljubljana maribor", "sk": "bratislava košice kosice", "sn": "dakar*", "sv": "san_salvador",
    "sy": "damascus aleppo", "th": "bangkok chiang_mai phuket pattaya", "tn": "tunis",
    "tr": "istanbul ankara izmir antalya", "tw": "taipei kaohsiung", "tz": "dar_es_salaam dodoma",
    "ua": "kyiv kiev* lviv odesa odessa* kharkiv", "ug": "kampala",
    "uk-eng": "london manchester* birmingham* liverpool leeds* bristol* newcastle_upon_tyne sheffield* nottingham"
    " brighton* cambridge* oxford*", "uk-sct": "edinburgh glasgow aberdeen*", "uk-wls": "cardiff swansea",
    "uk-nir": "belfast", "us-al": "birmingham_alabama", "us-az": "phoenix* tucson scottsdale",
    "us-ca": "los_angeles san_francisco san_diego san_jose sacramento oakland* hollywood* silicon_valley",
    "us-co": "denver*", "us-fl": "miami orlando* tampa jacksonville", "us-ga": "atlanta", "us-hi": "honolulu",
    "us-il": "chicago*", "us-in": "indianapolis", "us-la": "new_orleans", "us-ma": "boston*", "us-md": "baltimore",
    "us-mi": "detroit*", "us-mn": "minneapolis", "us-mo": "kansas_city st._louis st_louis saint_louis",
    "us-nc": "charlotte* raleigh*", "us-nv": "las_vegas vegas* reno*",
    "us-ny": "new_york_city nyc brooklyn manhattan* buffalo*", "us-oh": "cleveland* cincinnati", "us-or": "portland*",
    "us-pa": "philadelphia* pittsburgh", "us-tn": "nashville memphis*", "us-tx": "houston* dallas san_antonio el_paso",
    "us-ut": "salt_lake_city", "us-wa": "seattle", "us-wi": "milwaukee", "uy": "montevideo",
    "uz": "tashkent samarkand", "ve": "caracas maracaibo", "vn": "hanoi ho_chi_minh_city saigon da_nang",
    "xk": "pristina", "ye": "sanaa", "za": "johannesburg cape_town durban pretoria", "zm": "lusaka", "zw": "harare",
    "hk": "kowloon", "bf": "ouagadougou", "bi": "bujumbura", "bj": "cotonou", "bt": "thimphu", "bw": "gaborone",
    "cg": "brazzaville", "do": "santo_domingo", "er": "asmara", "fj": "suva", "ga": "libreville", "gm": "banjul",
    "gn": "conakry", "ht": "port-au-prince", "kg": "bishkek", "la": "vientiane", "li": "vaduz", "lr": "monrovia",
    "mg": "antananarivo", "ml": "bamako", "mr": "nouakchott", "mw": "lilongwe", "na": "windhoek", "ne": "niamey",
    "ni": "managua", "pg": "port_moresby", "sd": "khartoum", "sl": "freetown", "so": "mogadishu", "sr": "paramaribo",
    "tj": "dushanbe", "tm": "ashgabat", "tt": "port_of_spain", "bb": "bridgetown", "tg": "lomé",
}  # fmt: skip
"""Names with "_" for a space; a star: also a common word or somebody's name, so it counts only with a capital."""


@cache
def cities() -> dict[str, str]:
    """Every city in small letters, and the code of its country or state."""
    return {_name(each): code for code, names in _CITIES_BY_CODE.items() for each in names.split()}


@cache
def need_a_capital() -> frozenset[str]:
    """The cities whose names, in small letters, mostly mean something else."""
    return frozenset(_name(each) for names in _CITIES_BY_CODE.values() for each in names.split() if each[-1] == "*")


def _name(written: str) -> str:
    return written.rstrip("*").replace("_", " ")
