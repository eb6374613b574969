"""Everyday words of languages other than English, by which a short question in one of them is recognised.

Function words, and the words with which people ask about advertising.
"""

_WORDS = {
    "de": """
        ich wir ist sind darf dürfen duerfen kann können koennen man für fuer und oder nicht auch mit auf dem
        den der das ein eine einen wie was welche welches werbung werben anzeigen bewerben erlaubt verboten gibt
        es im über ueber regeln gelten brauche brauchen zu von bei wird werden schalten dafür wenn wo warum
        alkohol glücksspiel zulässig verkaufen zeigen hallo danke muss sein hat sich seit ohne nach beim zum zur unsere
    """,
    "fr": """
        je nous est sont peut puis pouvons peux on la les des du une un et ou pas pour avec dans sur quelles
        quels quelle quel est-ce que publicité publicités pub annonces interdit interdite autorisé autorisée
        faire règles faut il y a comment pourquoi où aux alcool jeux d'argent bonjour merci qu'est-ce ça cette
        ce qui depuis promouvoir diffuser vendre légal permis permise faut-il
        puis-je peut-on avons autorisés autorisées nos
    """,
    "es": """
        yo puedo podemos puede se está están es el los las una un y o para con en del qué cuáles cuál cómo dónde
        por publicidad anuncios anunciar permitido permitida prohibido reglas hay necesito hacer sobre también
        alcohol apuestas promocionar vender permite permiten hola
        gracias política políticas son permitidos permitidas prohibida desde nuestro
        nuestra
    """,
    "pt": """
        eu posso podemos pode são é está os as uma um e ou para com em no na nos nas do da dos das quais qual
        como onde publicidade anúncios anunciar permitido permitida proibido regras há preciso fazer sobre
        também divulgar vender permite olá obrigado não que
    """,
    "it": """
        io posso possiamo può si è sono il lo gli le una un e o per con nel nella sul della delle degli quali
        qual come dove pubblicità annunci pubblicizzare consentito consentita vietato vietata serve licenza
        regole promuovere vendere permesso permessa lecito c'è fare anche ciao grazie non che di
    """,
    "nl": """
        ik wij we mag mogen kan kunnen is zijn het een de en of niet ook met op voor wat welke hoe waar waarom
        reclame adverteren advertenties toegestaan verboden regels gelden er naar bij maken hallo bedankt moet
        van sinds wordt worden onze veranderd
    """,
    "pl": """
        czy można mozna mogę moge jak jakie jest są sa dla na w z do i lub nie reklama reklamować reklamowac
        reklamy dozwolone dozwolona dozwolony zabronione zabroniona zasady alkoholu hazard dziękuję cześć co
        gdzie dlaczego polsce
    """,
    "sv": """
        jag vi får kan är det en ett och eller inte också med på för vad vilka vilken hur var varför reklam
        annonsera annonser tillåtet förbjudet regler gäller till av hej tack som
    """,
    "da": """
        jeg vi må kan er det en et og eller ikke også med på for hvad hvilke hvilken hvordan hvor hvorfor
        reklame annoncere annoncer tilladt forbudt regler gælder til af hej tak som
    """,
    "no": """
        jeg vi får kan er det en et og eller ikke også med på for hva hvilke hvilken hvordan hvor hvorfor
        reklame annonsere annonser tillatt forbudt regler reglene gjelder til av hei takk som
    """,
    "fi": """
        voinko voimmeko voiko saako onko mitä mikä miten missä miksi ja tai ei myös mainostaa mainos mainonta
        mainoksia sallittu kielletty säännöt ovat on kiitos hei alkoholia
    """,
    "tr": """
        mı mi mu mü ve veya için ile bir bu ne nasıl nerede neden hangi reklam reklamı reklamları yapabilir
        miyim miyiz izin var yok yasak kurallar nelerdir merhaba teşekkürler alkol kumar
    """,
    "cs": """
        můžu mohu můžeme lze je jsou a nebo ne na v s pro jak jaké jaká co kde proč reklama reklamu inzerovat
        povoleno zakázáno pravidla děkuji ahoj alkohol
    """,
    "hu": """
        lehet szabad hirdethetek hirdetni van vannak és vagy nem is a az egy mi milyen hogyan hol miért reklám
        hirdetés engedélyezett tilos szabályok köszönöm szia
    """,
    "ro": """
        pot putem poate este sunt și sau nu cu pe pentru în care ce cum unde de reclamă reclame publicitate
        permis interzis reguli mulțumesc bună
    """,
    "id": """
        apakah saya kami boleh bisa dan atau tidak untuk dengan di yang apa bagaimana dimana mengapa iklan
        mengiklankan beriklan diizinkan dilarang aturan ada halo terima kasih
    """,
    "vi": """
        tôi chúng có thể được không và hoặc cho với trong gì như thế nào ở đâu tại sao quảng cáo phép cấm quy
        định
    """,
}

FOREIGN = {language: frozenset(words.split()) for language, words in _WORDS.items()}

ALSO_ENGLISH = frozenset(
    """
    a ad ago al alcohol all am an and as at bank bar be bin bingo bit bravo bu by c casino chat co come da das
    de del den der di die dies dip do dos du e el en er es et fast for fort four gift has hat he her hier hotel
    i il in is it ja kan kin la las le lo los ma mag mais man mars may me med mi mine mis na ne ni no non o of
    on once op or os ou pan per pin pod pot pour pub publica radio rat re red s sale san se sea si sin so som
    son sur t te ten tin to tout u um un una up us use v va van var vi via video vs w war was we will x y yes z
    """.split()
)
"""Words of the lists that are English, parts of names, or typed for something else: they tell nothing alone."""
