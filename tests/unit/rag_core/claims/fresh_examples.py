"""The fifth and the sixth batch of claims (see `examples`): made-up rules that the check had not seen.

What passed wrongly when they were new: 1 of 63 and 5 of 35; of the honest ones 22 of 30 and 14 of 15 passed. The check
has been mended on them since.
"""

SAUNA = "Ads for saunas are allowed in Finland and Estonia if the advertiser is registered with the local authority."
COURSE = "Online courses may be promoted, but advertisers must not promise a job or a salary."
BELT = "We do not accept ads for weighted belts unless they are certified medical devices."
SOLAR = "Advertisers of solar panels must complete verification within 30 days after the first campaign."
CASINO = "Casino ads must not appear on pages that are aimed at people under 25."
PROXY = "Ads must not collect phone numbers or passwords on the landing page."
BANNER = "Banners may be up to 300 pixels wide and 2 MB in size."
TEETH = "Teeth whitening products with more than 6% peroxide are prohibited."
AGENT = "Estate agents must show their registration number, and landlords must show the energy class of the flat."
LETTER = "Newsletters can be sponsored only by companies with an office in Sweden, Norway or Denmark."
PAY = "The advertiser pays the publisher for each click."
CLOSED = "Accounts are suspended after two violations within 90 days."
PARK = "The following are not allowed:\n\n- Ads for trampolines\n- Ads for slides higher than 3 metres"
SHELF = (
    "| Product | Austria | Poland |\n| --- | --- | --- |\n| Cider | Allowed | Not allowed |\n"
    "| Mead | With approval | Allowed |"
)
FAQ = "Can I advertise a tattoo studio? Yes, if all people shown are over 18."
TIP = "You should test your ads on a phone before you publish them."
HUNT = "Hunting trips can be advertised from 1 September to 31 December only."
CLAIMS_RULE = "Do not claim that a device is approved by the ministry unless you can show the certificate."
STAFF = "Ads for temporary work must name the employer and the hourly wage."
SEEDS = "Seeds of protected plants cannot be advertised, even with a permit."

FIFTH_UNSUPPORTED = (
    (SAUNA, "Ads for saunas are allowed in Finland and Estonia."),
    (SAUNA, "Ads for saunas are allowed in Latvia if the advertiser is registered with the local authority."),
    (SAUNA, "Ads for saunas are allowed in Finland if the advertiser is registered with the platform."),
    (COURSE, "Online courses may promise a job."),
    (COURSE, "Online courses must be promoted."),
    (COURSE, "Advertisers may promise a job or a salary."),
    (COURSE, "Online courses may not be promoted."),
    (BELT, "We accept ads for weighted belts."),
    (BELT, "We do not accept ads for weighted belts."),
    (BELT, "We do not accept ads for certified medical devices."),
    (BELT, "We accept ads for weighted belts unless they are certified medical devices."),
    (SOLAR, "Advertisers of solar panels must complete verification within 30 days before the first campaign."),
    (SOLAR, "Advertisers of solar panels must complete verification 30 weeks after the first campaign."),
    (SOLAR, "Advertisers must complete verification within 30 days after the first campaign."),
    (SOLAR, "Advertisers of solar panels may complete verification within 30 days after the first campaign."),
    (CASINO, "Casino ads must not appear on pages that are aimed at people over 25."),
    (CASINO, "Casino ads must not appear on pages."),
    (CASINO, "Casino ads may appear on pages that are aimed at people under 25."),
    (CASINO, "Casino ads must appear on pages that are aimed at people under 25."),
    (PROXY, "Ads may collect phone numbers on the landing page."),
    (PROXY, "Ads must not collect email addresses on the landing page."),
    (PROXY, "Ads must collect phone numbers or passwords on the landing page."),
    (BANNER, "Banners may be up to 2 pixels wide and 300 MB in size."),
    (BANNER, "Banners must be at least 300 pixels wide."),
    (BANNER, "Banners may be up to 300 pixels high."),
    (TEETH, "Teeth whitening products are prohibited."),
    (TEETH, "Teeth whitening products with less than 6% peroxide are prohibited."),
    (TEETH, "Teeth whitening products with more than 6% peroxide are not prohibited."),
    (TEETH, "Teeth whitening products with up to 6% peroxide are allowed."),
    (AGENT, "Landlords must show their registration number."),
    (AGENT, "Estate agents must show the energy class of the flat."),
    (AGENT, "Estate agents may show their registration number."),
    (LETTER, "Newsletters can be sponsored by companies with an office in Germany."),
    (LETTER, "Newsletters can be sponsored by companies."),
    (LETTER, "Newsletters can be sponsored only by companies with an office in Sweden."),
    (PAY, "The publisher pays the advertiser for each click."),
    (PAY, "The advertiser pays the publisher for each view."),
    (PAY, "The advertiser must not pay the publisher for each click."),
    (CLOSED, "Accounts are suspended after 90 violations within two days."),
    (CLOSED, "Accounts are suspended after two violations."),
    (CLOSED, "Accounts are suspended before two violations within 90 days."),
    (PARK, "Ads for slides are not allowed."),
    (PARK, "Ads for trampolines are allowed."),
    (PARK, "Ads for slides lower than 3 metres are not allowed."),
    (SHELF, "Cider is allowed in Poland."),
    (SHELF, "Mead is allowed in Austria."),
    (SHELF, "Cider is not allowed in Austria."),
    (SHELF, "Cider and mead are allowed."),
    (FAQ, "You can advertise a tattoo studio."),
    (FAQ, "You can advertise a tattoo studio if all people shown are under 18."),
    (FAQ, "You cannot advertise a tattoo studio."),
    (TIP, "You must test your ads on a phone before you publish them."),
    (TIP, "You should test your ads on a phone after you publish them."),
    (HUNT, "Hunting trips can be advertised from 1 December to 31 September only."),
    (HUNT, "Hunting trips can be advertised."),
    (HUNT, "Hunting trips cannot be advertised from 1 September to 31 December."),
    (CLAIMS_RULE, "Do not claim that a device is approved by the ministry."),
    (CLAIMS_RULE, "You may claim that a device is approved by the ministry."),
    (STAFF, "Ads for temporary work must name the employer or the hourly wage."),
    (STAFF, "Ads for temporary work must not name the employer."),
    (STAFF, "Ads for work must name the employer and the hourly wage."),
    (SEEDS, "Seeds of protected plants can be advertised with a permit."),
    (SEEDS, "Seeds cannot be advertised."),
)
"""(rule, claim)."""

FIFTH_HONEST = (
    (SAUNA, "Sauna ads are allowed in Finland if the advertiser is registered with the local authority."),
    (SAUNA, "In Estonia, ads for saunas are allowed if the advertiser is registered with the local authority."),
    (COURSE, "Online courses may be promoted."),
    (COURSE, "Advertisers must not promise a job or a salary."),
    (COURSE, "You must not promise a job."),
    (BELT, "Ads for weighted belts are not accepted unless they are certified medical devices."),
    (BELT, "Weighted belts may be advertised only if they are certified medical devices."),
    (SOLAR, "Solar panel advertisers must complete verification within 30 days after the first campaign."),
    (CASINO, "Casino ads are not allowed to appear on pages aimed at people under 25."),
    (PROXY, "Ads must not collect passwords on the landing page."),
    (PROXY, "Ads may not collect phone numbers or passwords on their landing page."),
    (BANNER, "Banners may be no more than 300 pixels wide and 2 MB in size."),
    (TEETH, "Teeth whitening products containing more than 6% peroxide are not allowed."),
    (TEETH, "Teeth whitening products with over 6% peroxide are prohibited."),
    (AGENT, "Estate agents must show their registration number."),
    (AGENT, "Landlords have to show the energy class of the flat."),
    (LETTER, "Only companies with an office in Sweden, Norway or Denmark can sponsor newsletters."),
    (PAY, "Advertisers pay the publisher for each click."),
    (CLOSED, "Accounts will be suspended after 2 violations within 90 days."),
    (PARK, "Trampoline ads are not allowed."),
    (PARK, "Ads for slides higher than 3 metres are prohibited."),
    (SHELF, "Cider is allowed in Austria."),
    (SHELF, "Cider is not allowed in Poland."),
    (FAQ, "You can advertise a tattoo studio if all people shown are over 18."),
    (TIP, "You should test ads on a phone before publishing them."),
    (HUNT, "Hunting trips can be advertised only from 1 September to 31 December."),
    (CLAIMS_RULE, "You must not claim that a device is approved by the ministry unless you can show the certificate."),
    (STAFF, "Temporary work ads must name the employer and the hourly wage."),
    (STAFF, "Ads for temporary work must name the employer."),
    (SEEDS, "Seeds of protected plants cannot be advertised."),
)
"""(rule, claim)."""

SIXTH_UNSUPPORTED = (
    (
        "Ads for hearing aids may not be shown without a doctor's note.",
        "Ads for hearing aids may be shown with a doctor's note.",
    ),
    (
        "Ads for hearing aids may not be shown without a doctor's note.",
        "Ads for hearing aids may be shown without a doctor's note.",
    ),
    (
        "Employers may screen applicants before they interview candidates.",
        "Employers may interview applicants before they screen candidates.",
    ),
    ("Publishers must tell readers which brands paid them.", "Readers must tell publishers which brands paid them."),
    ("Sellers of wheels may contact buyers of bikes.", "Buyers of wheels may contact sellers of bikes."),
    ("Only doctors may recommend vitamins to parents.", "Doctors may recommend vitamins only to parents."),
    (
        "Lenders must publish the rate daily and the fee weekly.",
        "Lenders must publish the rate weekly and the fee daily.",
    ),
    (
        "Ads for cars must not show speeding unless a stunt warning is displayed.",
        "Ads for cars must show a stunt warning.",
    ),
    ("Ads for cars must not show speeding unless a stunt warning is displayed.", "Ads for cars may show speeding."),
    ("Ads for wigs are allowed on weekdays, not on public holidays.", "Ads for wigs are allowed on public holidays."),
    ("Ads for wigs are allowed in all countries except Norway.", "Ads for wigs are allowed in Norway."),
    ("Ads for wigs are allowed in all countries except Norway.", "Ads for wigs are allowed in all countries."),
    ("Cheques are accepted from banks but not from shops.", "Cheques are accepted from shops but not from banks."),
    ("Cheques are accepted from banks but not from shops.", "Cheques are accepted from shops."),
    ("Children aged 12 to 15 may appear with a guardian.", "Children aged 12 to 15 may appear."),
    ("Children aged 12 to 15 may appear with a guardian.", "Children aged 15 to 12 may appear with a guardian."),
    (
        "Ads must load within 3 seconds on mobile and 2 seconds on desktop.",
        "Ads must load within 2 seconds on mobile and 3 seconds on desktop.",
    ),
    ("Ads must load within 3 seconds on mobile and 2 seconds on desktop.", "Ads must load within 2 seconds on mobile."),
    ("Agencies can appeal a decision once within a month.", "Agencies can appeal a decision twice within a month."),
    ("Agencies can appeal a decision once within a month.", "Agencies can appeal a decision within a month."),
    ("If you sell batteries, you must take old ones back.", "You must take old batteries back."),
    ("If you sell batteries, you must take old ones back.", "If you take old batteries back, you must sell them."),
    ("Prices may change during the sale.", "Prices may not change during the sale."),
    (
        "Ads for tents may use the word 'waterproof' if the tent passed test A or test B.",
        "Ads for tents may use the word 'waterproof'.",
    ),
    (
        "Ads for tents may use the word 'waterproof' if the tent passed test A and test B.",
        "Ads for tents may use the word 'waterproof' if the tent passed test A.",
    ),
    ("Lotteries run by the state are allowed; private lotteries are not.", "Private lotteries are allowed."),
    ("Lotteries run by the state are allowed; private lotteries are not.", "Lotteries are allowed."),
    ("Lotteries run by the state are prohibited; private lotteries are not.", "Private lotteries are prohibited."),
    ("- Wine: only after 22:00\n- Beer: any time", "Wine is allowed at any time."),
    ("- Wine: only after 22:00\n- Beer: any time", "Beer is allowed only after 22:00."),
    ("You do not need approval for print ads.", "You need approval for print ads."),
    ("Approval is optional for print ads.", "Approval is required for print ads."),
    ("The ad was approved because the shop closed.", "The shop closed because the ad was approved."),
    ("Ads for rings may state carats; ads for chains may state the length in cm.", "Ads for chains may state carats."),
    ("Advertisers who break this rule lose their account.", "Advertisers lose their account."),
)
"""(rule, claim)."""

SIXTH_HONEST = (
    (
        "Ads for hearing aids may not be shown without a doctor's note.",
        "Hearing aid ads must not be shown without a doctor's note.",
    ),
    ("Only doctors may recommend vitamins to parents.", "Vitamins may be recommended to parents only by doctors."),
    (
        "Ads for cars must not show speeding unless a stunt warning is displayed.",
        "Car ads must not show speeding, unless a stunt warning is shown.",
    ),
    ("Ads for wigs are allowed in all countries except Norway.", "Wig ads are allowed in all countries except Norway."),
    ("Cheques are accepted from banks but not from shops.", "Cheques are accepted from banks."),
    ("Cheques are accepted from banks but not from shops.", "Cheques from shops are not accepted."),
    ("Children aged 12 to 15 may appear with a guardian.", "With a guardian, children aged 12 to 15 may appear."),
    ("Ads must load within 3 seconds on mobile and 2 seconds on desktop.", "Ads must load within 3 seconds on mobile."),
    ("If you sell batteries, you must take old ones back.", "You must take old ones back if you sell batteries."),
    ("Prices may change during the sale.", "During the sale, prices can change."),
    ("Lotteries run by the state are allowed; private lotteries are not.", "State-run lotteries are allowed."),
    ("Lotteries run by the state are allowed; private lotteries are not.", "Private lotteries are not allowed."),
    ("You do not need approval for print ads.", "Print ads do not need approval."),
    (
        "Ads for rings may state carats; ads for chains may state the length in cm.",
        "Chain ads may state the length in cm.",
    ),
    ("Advertisers who break this rule lose their account.", "Advertisers lose their account if they break this rule."),
)
"""(rule, claim)."""
