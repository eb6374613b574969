"""The third and the fourth batch of claims: see `examples`."""

CRUISES = "Ads for cruises may quote a price per night if the total price is shown next to it."
PILLS = "Ads for sleeping pills are limited to viewers over 25 in Denmark."
OWNERS = "Owners of trademarks may report ads that use their mark without consent."
TWICE = "Ads that are rejected twice are checked by a person before they can be submitted again."
HERBS = "- Herbal teas: allowed with approval\n- Herbal cigarettes: not allowed"
PETS = "The following must not be advertised:\n\n- Endangered animals\n- Dogs younger than 8 weeks"
GRID = (
    "| Country | Lotteries | Minimum age |\n| --- | --- | --- |\n| Malta | Yes | 21 |\n| Latvia | No | - |\n"
    "| Cyprus | Yes | 18 |"
)
CRYPTO = "Only exchanges registered with the national authority can promote crypto wallets to residents of Italy."
QUIET = "Audio must be off by default in ads on weekdays and may start by itself at weekends."
SUGAR = "Ads for drinks with more than 5 g of sugar per 100 ml must not be shown on children's channels."
RENT = "Ads for flats must state the rent excluding heating costs."
LEAD = "Ads for paint containing lead are banned; ads for lead-free paint are not."
DEBT = "Debt advice may be advertised by charities and, with a licence, by companies."
NIGHT = "Ads for clubs run only after 21:00."

THIRD_UNSUPPORTED = (
    (CRUISES, "Ads for cruises may quote a price per night."),
    (CRUISES, "Ads for cruises must quote a price per night."),
    (CRUISES, "Ads for cruises may quote a price per person if the total price is shown next to it."),
    (CRUISES, "Ads for cruises may quote a price per night instead of the total price."),
    (PILLS, "Ads for sleeping pills are limited to viewers under 25 in Denmark."),
    (PILLS, "Ads for sleeping pills are limited to viewers over 25 in Sweden."),
    (PILLS, "Ads for pills are limited to viewers over 25 in Denmark."),
    (PILLS, "Ads for sleeping pills are allowed in Denmark."),
    (OWNERS, "Anyone may report ads that use a trademark without consent."),
    (OWNERS, "Owners of trademarks may report ads that use their mark with consent."),
    (OWNERS, "Owners of trademarks must report ads that use their mark without consent."),
    (TWICE, "Ads that are rejected once are checked by a person before they can be submitted again."),
    (TWICE, "Ads that are rejected twice cannot be submitted again."),
    (TWICE, "Ads that are rejected twice are checked by a machine before they can be submitted again."),
    (HERBS, "Herbal cigarettes are allowed with approval."),
    (HERBS, "Herbal teas are allowed."),
    (HERBS, "Herbal teas are not allowed."),
    (PETS, "Dogs younger than 8 weeks may be advertised."),
    (PETS, "Dogs must not be advertised."),
    (PETS, "Dogs older than 8 weeks must not be advertised."),
    (PETS, "Animals must not be advertised."),
    (GRID, "Lotteries are allowed in Latvia."),
    (GRID, "The minimum age for lotteries in Malta is 18."),
    (GRID, "Lotteries are not allowed in Cyprus."),
    (GRID, "The minimum age for lotteries in Latvia is 21."),
    (CRYPTO, "Exchanges can promote crypto wallets to residents of Italy."),
    (CRYPTO, "Only exchanges registered with the platform can promote crypto wallets to residents of Italy."),
    (CRYPTO, "Only exchanges registered with the national authority can promote crypto wallets."),
    (QUIET, "Audio must be off by default in ads at weekends."),
    (QUIET, "Audio may start by itself on weekdays."),
    (QUIET, "Audio must be on by default in ads on weekdays."),
    (SUGAR, "Ads for drinks with sugar must not be shown on children's channels."),
    (SUGAR, "Ads for drinks with less than 5 g of sugar per 100 ml must not be shown on children's channels."),
    (SUGAR, "Ads for drinks with more than 5 g of sugar per 100 ml must not be shown."),
    (RENT, "Ads for flats must state the rent including heating costs."),
    (RENT, "Ads for flats must state the rent and the heating costs."),
    (LEAD, "Ads for lead-free paint are banned."),
    (LEAD, "Ads for paint containing lead are not banned."),
    (LEAD, "Ads for paint are banned."),
    (DEBT, "Debt advice may be advertised by companies."),
    (DEBT, "Debt advice may be advertised by banks with a licence."),
    (NIGHT, "Ads for clubs run only before 21:00."),
    (NIGHT, "Ads for clubs run only until 21:00."),
    (NIGHT, "Ads for clubs run only after 9:00."),
)
"""(rule, claim)."""

THIRD_HONEST = (
    (CRUISES, "Cruise ads may quote a price per night if the total price is shown next to it."),
    (PILLS, "In Denmark, ads for sleeping pills are limited to viewers over 25."),
    (OWNERS, "Trademark owners may report ads that use their mark without consent."),
    (TWICE, "Ads rejected twice are checked by a person before they can be submitted again."),
    (HERBS, "Herbal teas are allowed with approval."),
    (HERBS, "Herbal cigarettes are not allowed."),
    (PETS, "Endangered animals must not be advertised."),
    (PETS, "You must not advertise dogs younger than 8 weeks."),
    (GRID, "Lotteries are not allowed in Latvia."),
    (GRID, "In Malta, the minimum age for lotteries is 21."),
    (CRYPTO, "Only exchanges registered with the national authority may promote crypto wallets to Italian residents."),
    (QUIET, "On weekdays, audio must be off by default."),
    (SUGAR, "Drinks with more than 5 g of sugar per 100 ml must not be advertised on children's channels."),
    (RENT, "Flat ads must state the rent without heating costs."),
    (LEAD, "Ads for paint containing lead are prohibited."),
    (DEBT, "Charities may advertise debt advice."),
    (DEBT, "With a licence, companies may advertise debt advice."),
    (NIGHT, "Club ads run only after 21:00."),
)
"""(rule, claim)."""

BIKES = "Ads for electric bikes must state the top speed if it is more than 25 km/h."
WINE = "Wine ads may be shown in Greece after 22:30, but never next to content for children."
TOOLS = "Advertisers that sell chainsaws need an account that has been verified for at least 60 days."
MASKS = "Claims that a mask filters viruses must be backed by a test report from an accredited laboratory."
BETS = "Betting ads are permitted in Ireland for operators with a local licence; bonus offers are not."
PHOTO = "Do not use photos of patients without their written consent."
FIN = "Interest rates must be shown as large as the main offer."
HAIR = "Hair loss treatments can be advertised to adults in the Netherlands and Belgium, subject to approval."
CAP = "Each advertiser may run no more than 3 campaigns for weight control at the same time."
DOG = "Breeders must name the kennel and, from 2027, the chip number of each puppy."

FOURTH_UNSUPPORTED = (
    (BIKES, "Ads for electric bikes must state the top speed."),
    (BIKES, "Ads for electric bikes must state the top speed if it is less than 25 km/h."),
    (BIKES, "Ads for electric bikes must state the range if the top speed is more than 25 km/h."),
    (BIKES, "Ads for bikes must state the top speed if it is more than 25 km/h."),
    (BIKES, "Electric bikes faster than 25 km/h must not be advertised."),
    (WINE, "Wine ads may be shown in Greece before 22:30."),
    (WINE, "Wine ads may be shown next to content for children after 22:30."),
    (WINE, "Wine ads may be shown after 22:30 in all countries."),
    (WINE, "Wine ads may be shown in Greece."),
    (TOOLS, "Advertisers need an account that has been verified for at least 60 days."),
    (TOOLS, "Advertisers that sell chainsaws need an account that is at least 60 days old."),
    (TOOLS, "Advertisers that sell chainsaws need an account that has been verified for at most 60 days."),
    (MASKS, "Claims that a mask filters viruses are not allowed."),
    (MASKS, "Claims that a mask filters viruses must be backed by a test report from the seller."),
    (MASKS, "Claims that a mask filters dust must be backed by a test report from an accredited laboratory."),
    (MASKS, "Masks must filter viruses."),
    (BETS, "Bonus offers are permitted in Ireland for operators with a local licence."),
    (BETS, "Betting ads are permitted in Ireland."),
    (BETS, "Betting ads are permitted in Ireland for operators without a local licence."),
    (BETS, "Betting ads are not permitted in Ireland."),
    (PHOTO, "Do not use photos of patients."),
    (PHOTO, "You may use photos of patients."),
    (PHOTO, "Do not use photos of patients with their written consent."),
    (PHOTO, "Photos of patients need their oral consent."),
    (FIN, "Interest rates must be shown larger than the main offer."),
    (FIN, "Interest rates may be shown as large as the main offer."),
    (HAIR, "Hair loss treatments can be advertised to minors in the Netherlands and Belgium, subject to approval."),
    (HAIR, "Hair loss treatments can be advertised to adults in the Netherlands and Belgium."),
    (HAIR, "Hair loss treatments can be advertised in Luxembourg, subject to approval."),
    (HAIR, "Hair treatments can be advertised to adults in the Netherlands and Belgium, subject to approval."),
    (CAP, "Each advertiser must run at least 3 campaigns for weight control at the same time."),
    (CAP, "Each advertiser may run campaigns for weight control."),
    (CAP, "Each advertiser may run no more than 3 campaigns at the same time."),
    (CAP, "Each advertiser may run no more than 3 campaigns for weight control in a month."),
    (DOG, "Breeders must name the chip number of each puppy."),
    (DOG, "Breeders must name the kennel from 2027."),
    (DOG, "Breeders must name the kennel or the chip number."),
    (DOG, "Sellers must name the kennel."),
)
"""(rule, claim)."""

FOURTH_HONEST = (
    (BIKES, "Electric bike ads must state the top speed if it is more than 25 km/h."),
    (WINE, "Wine ads may be shown in Greece after 22:30 but never next to content for children."),
    (WINE, "In Greece, wine ads must never be shown next to content for children."),
    (TOOLS, "Chainsaw sellers need an account that has been verified for at least 60 days."),
    (MASKS, "To claim that a mask filters viruses, you need a test report from an accredited laboratory."),
    (MASKS, "Claims that a mask filters viruses must be backed by an accredited laboratory's test report."),
    (BETS, "Betting ads are permitted in Ireland for operators with a local licence."),
    (BETS, "Bonus offers are not permitted."),
    (PHOTO, "Photos of patients may not be used without their written consent."),
    (PHOTO, "You must not use patients' photos without their written consent."),
    (FIN, "Interest rates have to be as large as the main offer."),
    (HAIR, "Subject to approval, hair loss treatments can be advertised to adults in Belgium and the Netherlands."),
    (CAP, "An advertiser may run at most 3 weight control campaigns at the same time."),
    (DOG, "Breeders must name the kennel."),
    (DOG, "From 2027, breeders must name the chip number of each puppy."),
)
"""(rule, claim)."""
