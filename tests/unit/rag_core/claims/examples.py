"""Made-up rules, with claims that they do not support, each in a way of its own, and honest paraphrases of them.

Four batches, each written before the check was mended on it. What passes of new ones is told in `fresh_examples`.
"""

ADULTS = "Ads for kites may run if the audience is aged 18 or over and the advertiser holds a licence."
LICENCE = "Advertisers must submit a copy of their licence at least 14 days before the campaign starts."
NEVER = "Ads for fireworks are not allowed."
SCHOOLS = "Ads for energy drinks may not be placed within 200 metres of a school."
FEE = "The review fee is €250 for each campaign and is not refunded."
DATE = "From 1 March 2027, ads for gliders must show the weight of the glider."
PARTS = "In Spain, ads for kites are allowed between 20:00 and 06:00. In Portugal, ads for kites are not allowed."
ONLY = "Ads for drones are allowed only in Norway, Sweden and Finland."
EXCEPT = "Ads for knives are prohibited, except for kitchen knives sold by registered shops."
EITHER = "Ads for loans must show the annual rate or the total cost."
BOTH = "Ads for loans must show the annual rate and the total cost."
SHARE = "No more than 20% of the image may be covered by text."
MINORS = "Ads for lotteries must not target people under 21."
CHILDREN = "Ads for toys may show children, but must not address them directly."
HEALTH = "Ads for supplements must not claim that they cure, treat or prevent a disease."
APPROVAL = "Ads for clinics need prior written approval from the health authority."
MAY_REVIEW = "We may ask for proof of age before an ad for wine is shown."
SHOULD = "Advertisers should add a warning to ads for ladders."
TIMES = "Video ads for games must be 30 seconds or shorter, and image ads must be smaller than 5 MB."
TWO_AGES = "Visitors must be 18 to see ads for beer and 21 to see ads for whisky."
SOME = "Some ads for medicines are allowed in Ireland with a certificate."
UNTIL = "Ads for balloons are allowed until 31 May 2026."
EVENTS = "Ads for raffles are allowed for charities."
AFTER = "Advertisers must be certified before they run ads for insurance."
REPEAT = "Accounts that break this rule three times are closed for 12 months."

UNSUPPORTED = (
    # numbers
    (ADULTS, "Ads for kites may run if the audience is aged 16 or over and the advertiser holds a licence."),
    (LICENCE, "Advertisers must submit a copy of their licence at least 41 days before the campaign starts."),
    (LICENCE, "Advertisers must submit a copy of their licence at most 14 days before the campaign starts."),
    (LICENCE, "Advertisers must submit a copy of their licence within 14 days of the start of the campaign."),
    (SCHOOLS, "Ads for energy drinks may not be placed within 2000 metres of a school."),
    (FEE, "The review fee is €25 for each campaign and is not refunded."),
    (SHARE, "At least 20% of the image may be covered by text."),
    (SHARE, "No more than 80% of the image may be covered by text."),
    (TWO_AGES, "Visitors must be 21 to see ads for beer and 18 to see ads for whisky."),
    (TWO_AGES, "Visitors must be 18 to see ads for whisky."),
    (REPEAT, "Accounts that break this rule twelve times are closed for 3 months."),
    (TIMES, "Image ads for games must be 30 seconds or shorter."),
    # units
    (SCHOOLS, "Ads for energy drinks may not be placed within 200 feet of a school."),
    (SCHOOLS, "Ads for energy drinks may not be placed within 200 kilometres of a school."),
    (LICENCE, "Advertisers must submit a copy of their licence at least 14 weeks before the campaign starts."),
    (LICENCE, "Advertisers must submit a copy of their licence at least 14 hours before the campaign starts."),
    (FEE, "The review fee is $250 for each campaign."),
    (FEE, "The review fee is £250 for each campaign."),
    (FEE, "The review fee is 250% for each campaign."),
    (TIMES, "Video ads for games must be 30 minutes or shorter."),
    (TIMES, "Image ads must be smaller than 5 GB."),
    (REPEAT, "Accounts that break this rule three times are closed for 12 days."),
    # a "not" gone, or come
    (NEVER, "Ads for fireworks are allowed."),
    (SCHOOLS, "Ads for energy drinks may be placed within 200 metres of a school."),
    (FEE, "The review fee is refunded."),
    (MINORS, "Ads for lotteries must target people under 21."),
    (MINORS, "Ads for lotteries may target people under 21."),
    (CHILDREN, "Ads for toys must not show children."),
    (CHILDREN, "Ads for toys may address children directly."),
    (HEALTH, "Ads for supplements may claim that they prevent a disease."),
    (ADULTS, "Ads for kites may run if the audience is not aged 18 or over."),
    (AFTER, "Advertisers need not be certified before they run ads for insurance."),
    (AFTER, "Advertisers are exempt from being certified before they run ads for insurance."),
    (NEVER, "Ads for fireworks are hardly ever allowed."),
    # wider than the rule
    (ADULTS, "Ads for kites may run."),
    (ADULTS, "Ads for kites may run if the audience is aged 18 or over."),
    (ADULTS, "Ads for kites may run if the advertiser holds a licence."),
    (ADULTS, "All ads may run if the audience is aged 18 or over and the advertiser holds a licence."),
    (EXCEPT, "Ads for knives are allowed."),
    (EXCEPT, "Ads for knives are prohibited without exception."),
    (EXCEPT, "Ads for kitchen knives are prohibited."),
    (EVENTS, "Ads for raffles are allowed."),
    (EVENTS, "Ads for raffles are allowed for everybody."),
    (SOME, "Ads for medicines are allowed in Ireland."),
    (SOME, "All ads for medicines are allowed in Ireland with a certificate."),
    (SOME, "Ads for medicines are allowed with a certificate."),
    (UNTIL, "Ads for balloons are allowed."),
    (UNTIL, "Ads for balloons are allowed from 31 May 2026."),
    (UNTIL, "Ads for balloons are allowed after 31 May 2026."),
    (NEVER, "Ads for fireworks and sparklers are not allowed."),
    (NEVER, "Ads for anything dangerous are not allowed."),
    (PARTS, "Ads for kites are allowed between 20:00 and 06:00."),
    # another place
    (PARTS, "In Portugal, ads for kites are allowed between 20:00 and 06:00."),
    (PARTS, "In Portugal, ads for kites are allowed."),
    (PARTS, "In Spain, ads for kites are not allowed."),
    (PARTS, "In France, ads for kites are allowed between 20:00 and 06:00."),
    (PARTS, "In Spain and Portugal, ads for kites are allowed between 20:00 and 06:00."),
    (PARTS, "In Spain, ads for kites are allowed."),
    (ONLY, "Ads for drones are allowed only in Norway, Sweden and Denmark."),
    (ONLY, "Ads for drones are not allowed in Norway."),
    (ONLY, "Ads for drones are allowed only in Norway."),
    (ONLY, "Ads for drones are allowed in all Nordic countries."),
    # may, must, should
    (MAY_REVIEW, "We must ask for proof of age before an ad for wine is shown."),
    (MAY_REVIEW, "Proof of age is required before an ad for wine is shown."),
    (MAY_REVIEW, "Advertisers must give proof of age before an ad for wine is shown."),
    (MAY_REVIEW, "We will never ask for proof of age before an ad for wine is shown."),
    (SHOULD, "Advertisers must add a warning to ads for ladders."),
    (SHOULD, "Advertisers are required to add a warning to ads for ladders."),
    (LICENCE, "Advertisers may submit a copy of their licence at least 14 days before the campaign starts."),
    (LICENCE, "Advertisers should submit a copy of their licence at least 14 days before the campaign starts."),
    (AFTER, "Advertisers may be certified before they run ads for insurance."),
    (APPROVAL, "Ads for clinics can ask for prior written approval from the health authority."),
    # an exception or a condition that nobody made
    (NEVER, "Ads for fireworks are not allowed, except on New Year's Eve."),
    (NEVER, "Ads for fireworks are not allowed unless the advertiser is licensed."),
    (MINORS, "Ads for lotteries must not target people under 21 unless they are students."),
    (APPROVAL, "Ads for clinics need prior written approval from the health authority, except for charities."),
    (SHARE, "No more than 20% of the image may be covered by text, without exceptions."),
    (HEALTH, "Ads for supplements must not claim that they cure a disease without a doctor's approval."),
    # and, or; before, after; who does what
    (EITHER, "Ads for loans must show the annual rate and the total cost."),
    (BOTH, "Ads for loans must show the annual rate or the total cost."),
    (BOTH, "Ads for loans must show either the annual rate or the total cost."),
    (AFTER, "Advertisers must be certified after they run ads for insurance."),
    (LICENCE, "Advertisers must submit a copy of their licence at least 14 days after the campaign starts."),
    (APPROVAL, "Ads for clinics need written approval from the police authority."),
    (APPROVAL, "Ads for clinics need approval from the platform."),
    # days
    (DATE, "From 3 January 2027, ads for gliders must show the weight of the glider."),
    (DATE, "From 1 March 2026, ads for gliders must show the weight of the glider."),
    (DATE, "From 1 May 2027, ads for gliders must show the weight of the glider."),
    (DATE, "Until 1 March 2027, ads for gliders must show the weight of the glider."),
    (DATE, "Before 1 March 2027, ads for gliders must show the weight of the glider."),
    (PARTS, "In Spain, ads for kites are allowed between 06:00 and 20:00."),
    # rules run together
    (PARTS, "Ads for kites are allowed in Portugal but not in Spain."),
    (TIMES, "Video ads for games must be smaller than 5 MB."),
    (FEE, "The licence fee is €250."),
    (HEALTH, "Ads for supplements must not claim that they are healthy."),
)
"""(rule, claim)."""

HONEST = (
    (ADULTS, "Kite ads may run if the audience is 18 or over and the advertiser has a licence."),
    (ADULTS, "Ads for kites may run only if the audience is at least 18 and the advertiser is licensed."),
    (ADULTS, "You can advertise kites if your audience is 18 or older and you hold a licence."),
    (LICENCE, "You must submit a copy of your licence at least 14 days before the campaign starts."),
    (LICENCE, "Advertisers must send a copy of their licence at least fourteen days before the campaign begins."),
    (LICENCE, "A copy of the licence must be submitted no less than 14 days before the campaign starts."),
    (NEVER, "Fireworks ads are prohibited."),
    (NEVER, "You cannot advertise fireworks."),
    (NEVER, "Advertising fireworks is not permitted."),
    (SCHOOLS, "Energy drink ads must not be placed within 200 metres of a school."),
    (SCHOOLS, "Ads for energy drinks are not allowed within 200 meters of schools."),
    (FEE, "The review fee is €250 per campaign and is not refunded."),
    (FEE, "The fee for the review is 250 € for each campaign."),
    (FEE, "The review fee is not refunded."),
    (DATE, "From 2027-03-01, ads for gliders must show the glider's weight."),
    (DATE, "Starting March 1, 2027, glider ads must show the weight of the glider."),
    (DATE, "Glider ads must show the glider's weight from 1 March 2027."),
    (PARTS, "In Spain, kite ads are allowed between 20:00 and 06:00."),
    (PARTS, "In Portugal, kite ads are prohibited."),
    (PARTS, "Kite ads are not allowed in Portugal."),
    (ONLY, "Drone ads are allowed only in Norway, Sweden and Finland."),
    (ONLY, "Ads for drones are only permitted in Finland, Norway and Sweden."),
    (EXCEPT, "Knife ads are prohibited, except for kitchen knives sold by registered shops."),
    (EXCEPT, "Ads for knives are not allowed, other than for kitchen knives sold by registered shops."),
    (EITHER, "Loan ads must show the annual rate or the total cost."),
    (EITHER, "Ads for loans have to show the annual rate or the total cost."),
    (BOTH, "Loan ads must show the annual rate and the total cost."),
    (BOTH, "Ads for loans are required to show both the annual rate and the total cost."),
    (SHARE, "At most 20% of the image may be covered by text."),
    (SHARE, "Text may cover no more than 20 percent of the image."),
    (MINORS, "Lottery ads must not target people under 21."),
    (MINORS, "Ads for lotteries may not be targeted at people under 21."),
    (CHILDREN, "Toy ads may show children but must not address them directly."),
    (HEALTH, "Supplement ads must not claim to cure, treat or prevent a disease."),
    (HEALTH, "Ads for supplements must not claim that they cure diseases."),
    (APPROVAL, "Clinic ads require prior written approval from the health authority."),
    (APPROVAL, "Ads for clinics need written approval from the health authority."),
    (APPROVAL, "Ads for clinics must have prior written approval from the health authority."),
    (MAY_REVIEW, "We may ask for proof of age before a wine ad is shown."),
    (MAY_REVIEW, "Proof of age may be asked for before an ad for wine is shown."),
    (SHOULD, "Advertisers should add a warning to ladder ads."),
    (SHOULD, "Ads for ladders should have a warning."),
    (TIMES, "Video ads for games must be 30 seconds or shorter."),
    (TIMES, "Video ads for games must be no longer than 30 seconds."),
    (TWO_AGES, "Visitors must be 18 to see beer ads and 21 to see whisky ads."),
    (TWO_AGES, "To see ads for whisky, visitors must be 21."),
    (SOME, "Some medicine ads are allowed in Ireland with a certificate."),
    (UNTIL, "Balloon ads are allowed until 31 May 2026."),
    (EVENTS, "Raffle ads are allowed for charities."),
    (EVENTS, "Charities may run ads for raffles."),
    (AFTER, "Advertisers must be certified before running insurance ads."),
    (AFTER, "You need to be certified before you run ads for insurance."),
    (REPEAT, "Accounts that break this rule 3 times are closed for twelve months."),
    (REPEAT, "An account that breaks this rule three times is closed for 12 months."),
)
"""(rule, claim)."""


WINDOW = "Ads for cigars may only be shown between 22:00 and 05:00 and only to signed-in adults."
COPY = "Ads for mattresses must name the seller and must not use before-and-after pictures."
PROOF = "Advertisers of courses must prove that the course is accredited."
TWO_DAYS = "Complaints are answered within 2 working days, and appeals within 10 working days."
NOT_UNLESS = "Ads for drones are not accepted unless the pilot is insured."
RIVERS = "Ads for boats are allowed in Austria, Hungary and Slovakia, but not in Croatia."
WEIGHT = "Parcels over 2 kg must not be shown in ads for couriers."
STATES = "Ads for hunting gear are restricted in Texas and prohibited in California."
LABEL = "Sponsored posts must carry the label 'Ad' at the top, in letters of at least 12 pixels."
GRANT = "The regulator grants the permit; the platform only checks it."
RARE = "Ads for antiques are reviewed by hand, which usually takes 3 days."
LOWER = "The budget must not exceed 5,000 euros a month."
FREE = "Ads for alcohol-free beer are allowed if the packaging differs from that of beer."
CHILD = "Ads must not show children under 12 operating tools."
SALE = "Discounts of more than 50% must be proven with an earlier price."
HOTEL = "Ads for hostels may mention prices, but prices must include taxes."
BANKS = "Only banks licensed in Switzerland may advertise savings accounts."
GAMES = "Ads for board games are allowed, provided that they do not offer cash prizes."
WARN = "Ads for saws must show a warning for at least 3 seconds."
LINKS = "Ads may link to a shop if the shop shows its address."

SECOND_UNSUPPORTED = (
    (WINDOW, "Ads for cigars may be shown between 22:00 and 05:00."),
    (WINDOW, "Ads for cigars may only be shown to signed-in adults."),
    (WINDOW, "Ads for cigars may only be shown between 22:00 and 05:00 and only to adults or signed-in users."),
    (WINDOW, "Ads for cigars may not be shown between 22:00 and 05:00."),
    (WINDOW, "Ads for cigars may be shown at any hour to signed-in adults."),
    (COPY, "Ads for mattresses must use before-and-after pictures."),
    (COPY, "Ads for mattresses must not name the seller."),
    (COPY, "Ads for mattresses may name the seller."),
    (COPY, "Ads for mattresses should name the seller."),
    (COPY, "Ads for mattresses must not use pictures."),
    (PROOF, "Advertisers of courses must prove that the course is free."),
    (PROOF, "Advertisers of courses may be asked to prove that the course is accredited."),
    (PROOF, "Courses must be accredited by the platform."),
    (TWO_DAYS, "Appeals are answered within 2 working days."),
    (TWO_DAYS, "Complaints are answered within 10 working days."),
    (TWO_DAYS, "Complaints are answered within 2 days."),
    (TWO_DAYS, "Complaints are answered after 2 working days."),
    (NOT_UNLESS, "Ads for drones are not accepted."),
    (NOT_UNLESS, "Ads for drones are accepted."),
    (NOT_UNLESS, "Ads for drones are not accepted if the pilot is insured."),
    (NOT_UNLESS, "Ads for drones are accepted unless the pilot is insured."),
    (RIVERS, "Ads for boats are allowed in Croatia."),
    (RIVERS, "Ads for boats are not allowed in Austria."),
    (RIVERS, "Ads for boats are allowed in Austria, Hungary and Croatia."),
    (RIVERS, "Ads for boats are allowed."),
    (WEIGHT, "Parcels under 2 kg must not be shown in ads for couriers."),
    (WEIGHT, "Parcels over 2 kg must be shown in ads for couriers."),
    (WEIGHT, "Parcels over 2 grams must not be shown in ads for couriers."),
    (WEIGHT, "Parcels must not be shown in ads for couriers."),
    (STATES, "Ads for hunting gear are prohibited in Texas."),
    (STATES, "Ads for hunting gear are restricted in California."),
    (STATES, "Ads for hunting gear are allowed in Texas."),
    (LABEL, "Sponsored posts must carry the label 'Ad' at the bottom."),
    (LABEL, "Sponsored posts must carry the label 'Ad' in letters of at most 12 pixels."),
    (LABEL, "Sponsored posts must carry the label 'Ad' in letters of 21 pixels."),
    (LABEL, "Sponsored posts can carry the label 'Ad' at the top."),
    (GRANT, "The platform grants the permit."),
    (GRANT, "The regulator only checks the permit."),
    (RARE, "Ads for antiques are reviewed by machines."),
    (RARE, "Ads for antiques must be reviewed by hand within 3 days."),
    (RARE, "Ads for antiques are always reviewed by hand within 3 hours."),
    (LOWER, "The budget must exceed 5,000 euros a month."),
    (LOWER, "The budget must not exceed 5,000 dollars a month."),
    (LOWER, "The budget must not exceed 5,000 euros a week."),
    (LOWER, "The budget must not exceed 50,000 euros a month."),
    (FREE, "Ads for alcohol-free beer are allowed."),
    (FREE, "Ads for beer are allowed if the packaging differs."),
    (FREE, "Ads for alcohol-free beer are allowed if the packaging does not differ from that of beer."),
    (CHILD, "Ads must not show children operating tools."),
    (CHILD, "Ads must not show children over 12 operating tools."),
    (CHILD, "Ads may show children under 12 operating tools."),
    (CHILD, "Ads must not show anybody operating tools."),
    (SALE, "Discounts of less than 50% must be proven with an earlier price."),
    (SALE, "Discounts must be proven with an earlier price."),
    (SALE, "Discounts of more than 50% are not allowed."),
    (SALE, "Discounts of more than 50% must be proven with a later price."),
    (HOTEL, "Ads for hostels must mention prices."),
    (HOTEL, "Ads for hostels may mention prices without taxes."),
    (HOTEL, "Prices may include taxes."),
    (BANKS, "Banks may advertise savings accounts."),
    (BANKS, "Only banks licensed in Germany may advertise savings accounts."),
    (BANKS, "Anyone may advertise savings accounts."),
    (GAMES, "Ads for board games are allowed, provided that they offer cash prizes."),
    (GAMES, "Ads for board games are not allowed."),
    (GAMES, "Ads for board games are allowed."),
    (WARN, "Ads for saws must show a warning for at most 3 seconds."),
    (WARN, "Ads for saws must show a warning for at least 3 minutes."),
    (WARN, "Ads for saws must show a warning or a price for at least 3 seconds."),
    (LINKS, "Ads may link to a shop."),
    (LINKS, "Ads may link to a shop if the shop hides its address."),
    (LINKS, "Ads must link to a shop that shows its address."),
)
"""(rule, claim)."""

SECOND_HONEST = (
    (WINDOW, "Cigar ads may only be shown between 22:00 and 05:00 and only to signed-in adults."),
    (COPY, "Mattress ads must name the seller."),
    (COPY, "Ads for mattresses must not use before-and-after pictures."),
    (PROOF, "You must prove that a course is accredited."),
    (TWO_DAYS, "Complaints are answered within two working days."),
    (TWO_DAYS, "Appeals are answered within 10 working days."),
    (NOT_UNLESS, "Drone ads are not accepted unless the pilot is insured."),
    (NOT_UNLESS, "Ads for drones are accepted only if the pilot is insured."),
    (RIVERS, "Boat ads are allowed in Austria, Hungary and Slovakia."),
    (RIVERS, "Ads for boats are allowed in Austria."),
    (RIVERS, "Ads for boats are not allowed in Croatia."),
    (WEIGHT, "Courier ads must not show parcels over 2 kg."),
    (STATES, "Hunting gear ads are prohibited in California."),
    (STATES, "In Texas, ads for hunting gear are restricted."),
    (LABEL, "Sponsored posts must carry the label 'Ad' at the top."),
    (LABEL, "The label must be in letters of at least 12 pixels."),
    (RARE, "Ads for antiques are reviewed by hand."),
    (LOWER, "The budget must not exceed €5,000 a month."),
    (LOWER, "The budget may be at most 5,000 euros a month."),
    (FREE, "Alcohol-free beer ads are allowed if the packaging differs from that of beer."),
    (CHILD, "Children under 12 must not be shown operating tools."),
    (SALE, "Discounts over 50% must be proven with an earlier price."),
    (HOTEL, "Prices must include taxes."),
    (HOTEL, "Hostel ads may mention prices, but they must include taxes."),
    (BANKS, "Savings accounts may be advertised only by banks licensed in Switzerland."),
    (GAMES, "Board game ads are allowed if they do not offer cash prizes."),
    (WARN, "Saw ads must show a warning for at least three seconds."),
    (LINKS, "Ads may link to a shop only if the shop shows its address."),
)
"""(rule, claim)."""
