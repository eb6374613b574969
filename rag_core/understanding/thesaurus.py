"""The trade's words: what people type -> the words policies use. Used at query time, by every index.

A line lists words for the same thing; `narrow, narrower < wide` says that a rule on the wide thing covers the
narrow ones, never the other way round: a rule on wine does not answer a question on alcohol.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from rag_core.understanding.words import stems_of

_LINES = """
alcohol, alcoholic, booze, liquor, alcoholic drink, alcoholic drinks, alcoholic beverage, alcoholic beverages
beer, wine, spirits, whisky, whiskey, vodka, gin, rum, brandy, tequila, champagne, cider, hard seltzer, cocktail, lager, ale, stout, prosecco, mead, liqueur, sake < alcohol
gambling, betting, wagering, games of chance, real-money gaming, real money gaming
casino, casinos, slots, slot machine, roulette, blackjack, poker, bingo < gambling
sportsbook, sports betting, bookmaker, bookie, betting odds < gambling
lottery, lotteries, lotto, raffle, sweepstake, sweepstakes < gambling
fantasy sports, daily fantasy, dfs < gambling
loot box, loot boxes, social casino < gambling
tobacco, tobacco products, smoking
cigarette, cigarettes, cigar, cigars, snus, chewing tobacco, hookah, shisha, smokes < tobacco
vape, vapes, vaping, e-cigarette, e-cigarettes, electronic cigarette, ecig, ecigs, e-cig, e-cigs, e-liquid, juul
nicotine pouch, nicotine pouches, zyn < nicotine
medicine, medicines, medication, medications, drug, drugs, pharmaceutical, pharmaceuticals, meds, medicinal
prescription, prescription-only, prescription only, rx
otc, over-the-counter, over the counter, non-prescription
viagra, ozempic, botox, antibiotics < medicine, prescription
painkiller, painkillers, aspirin, cough syrup, vaccine, vaccines < medicine
referral, referrals, referring, refer a friend
pharmacy, pharmacies, chemist, online pharmacy, drugstore
cannabis, weed, marijuana, pot, ganja, thc
cbd, cannabidiol, hemp
crypto, cryptocurrency, cryptocurrencies, crypto asset, crypto assets, cryptoasset, digital asset, digital assets, virtual currency, virtual assets
bitcoin, btc, ethereum, eth, nft, nfts, token sale, ico, stablecoin, crypto exchange, crypto wallet, defi < crypto
loan, loans, lending, credit, borrowing
payday loan, payday loans, short-term loan, short-term loans, cash advance, high-cost credit < loan
mortgage, mortgages, bnpl, buy now pay later, credit card, credit cards < loan, financial
financial, finance, financial products, financial services
forex, fx trading, cfd, cfds, binary options, contracts for difference, spread betting < financial
investment, investments, investing, stocks, shares, trading < financial
insurance < financial
political, politics, election, elections, electoral, candidate, issue ads
party, referendum, campaigning, politician, politicians < political
dating, matchmaking, dating app, dating apps, tinder
hookup, casual dating, casual encounters, escort, escorts < dating, adult
adult, porn, pornography, pornographic, sexual, sexually explicit, nsfw, erotic, nudity, nude
sex toy, sex toys, adult toy, adult toys, vibrator, vibrators, lingerie < adult
weapon, weapons, arms
gun, guns, firearm, firearms, rifle, rifles, pistol, handgun, ammo, ammunition < weapon
knife, knives, sword, crossbow, pepper spray, taser, stun gun, explosives, fireworks < weapon
supplement, supplements, vitamins, dietary supplement, dietary supplements
weight loss, weight-loss, slimming, diet, diet pills, fat burner
personal data, personal information, private data, user data, pii
targeting, targeted, target, retargeting, remarketing
misleading, deceptive, false, misrepresentation, dishonest, untrue
scam, scams, fraud, fraudulent < misleading
clickbait, sensational, sensationalist, exaggerated
before and after, before-and-after, before/after
landing page, landing pages, destination, destination page, destination url, click-through page
trademark, trademarks, brand name, logo, logos, copyright, intellectual property, ip rights
counterfeit, counterfeits, fake goods, replica, replicas, knock-off, knockoffs
appeal, appeals, dispute, contest the decision, overturn
rejected, disapproved, disapproval, declined, rejection, taken down, removed
suspended, suspension, account ban, disabled account, terminated, blocked account
minor, minors, children, kids, teens, teenagers, underage, under-age, young people, child
age limit, minimum age, age requirement, age restriction, how old, drinking age, legal age, aged, years old, years of age, or older, or over, and over, over the age, under the age
licence, license, licensed, licensing, authorised, authorized, permit holder
certification, certified, certificate, accreditation, accredited, verified, verification
approval, pre-approval, prior approval, written permission, permission, authorisation, authorization
disclaimer, disclaimers, warning, warnings, label, labels, labelling, labeling, disclosure, disclosures, notice
celebrity, celebrities, influencer, influencers, famous person, endorsement, testimonial, testimonials
image, images, picture, pictures, photo, photos
video, videos, clip, clips, footage
animation, animated, gif, gifs, flashing, strobe
capital letters, all caps, caps lock, uppercase, capitalisation, capitalization
punctuation, exclamation, exclamation mark, exclamation marks, exclamation point
emoji, emojis, symbol, symbols
swearing, profanity, curse words, bad language, offensive language, vulgar
violence, violent, gore, gory, bloody
hate, hateful, discrimination, discriminatory, racist
food, foods, beverage, soft drink, junk food, hfss
energy drink, energy drinks < food
surrogacy, fertility, ivf < medicine
health claim, health claims, medical claim, medical claims, cure, cures
size, dimension, dimensions, resolution, aspect ratio, pixels
length, duration, how long, seconds, minutes, hours, days, weeks, months
pop-up, popup, pop-ups, popups, pop-under
debt relief, debt settlement, debt assistance, debt consolidation, debt collection
infant formula, baby formula, formula milk, breast milk substitute
lawyer, lawyers, law firm, law firms, attorney, attorneys, legal services
dog, dogs, puppy, puppies, cat, cats, kitten, pet, pets < animal, live animal
animal, animals, live animal, live animals
followers, fake followers, likes, fake engagement, engagement
spyware, malware, stalkerware, virus, malicious software
rehab, rehabs, addiction treatment, addiction center, rehabilitation, addiction
essay services, essay writing, academic cheating, paper mill
bail bond, bail bonds
ticket, tickets, ticket resale, ticket reseller
steroid, steroids, anabolic steroids < drug
holster, holsters, gun accessory, scope, magazine < weapon
telehealth, telemedicine, online doctor < healthcare
healthcare, health care, medical
contraception, contraceptive, contraceptives, condom, condoms, birth control
price, prices, pricing, cost, costs, fee, fees
bourbon, scotch, absinthe, schnapps, soju, baijiu, vermouth, sparkling wine, craft beer, pilsner, alcopop, alcopops, moonshine, sangria < alcohol
brewery, breweries, winery, wineries, distillery, distilleries, wine club, liquor store, off-licence, bottle shop < alcohol
gambling, igaming, i-gaming, online gambling, punting
prediction market, prediction markets, event contract, event contracts, betting exchange, betting exchanges < gambling, financial
parlay, acca, free bets, free bet, odds boost, in-play betting, esports betting, matched betting < gambling
scratch card, scratch cards, scratchcard, scratchcards, keno, tombola < lottery, gambling
prize draw, prize draws, prize promotion, prize promotions
fruit machine, crash game, plinko, craps, baccarat, teen patti, sweepstakes casino < gambling
skin betting < gambling
heated tobacco, heat-not-burn, iqos, cigarillo, cigarillos, rolling tobacco, rolling papers, bidi < tobacco
vape, vape juice, vape pen, vape pens, e-juice, disposable vape, disposable vapes, vaporizer, vaporiser, elf bar
illegal drugs, illicit drugs, recreational drugs, street drugs, narcotics, controlled substances
cocaine, mdma, ecstasy, lsd, psilocybin, magic mushrooms, shrooms, psychedelics, ketamine, nitrous oxide, salvia < illegal drugs
cannabis, ganja, hashish, delta-8, delta 8, delta-9, reefer
dispensary, dispensaries, edibles, weed gummies, bong, bongs < cannabis
semaglutide, wegovy, mounjaro, tirzepatide, glp-1, cialis, sildenafil, tadalafil, adderall, xanax, valium, opioids, codeine, tramadol, fentanyl, finasteride < medicine, prescription
hormone therapy, hrt, trt, testosterone, hgh, sarms < medicine, prescription
supplement, nutra, nutraceutical, nutraceuticals, food supplement, food supplements
probiotics, collagen, protein powder, pre-workout, nootropics, multivitamin, multivitamins, omega 3, melatonin < supplement
detox tea, keto pills, appetite suppressant, appetite suppressants, slimming tea < weight loss, supplement
male enhancement, ed pills, erectile dysfunction, sexual enhancement < medicine, adult
cosmetic surgery, plastic surgery, cosmetic procedures, aesthetic procedures
lip filler, lip fillers, dermal filler, dermal fillers, breast augmentation, boob job, nose job, liposuction, hair transplant < cosmetic surgery
herbal medicine, herbal remedies, homeopathy, homeopathic, alternative medicine, traditional medicine, ayurveda
dna test, genetic testing, genetic test
hiv test, sti test, std test
abortion, abortions, abortion pill
altcoin, altcoins, memecoin, memecoins, meme coin, airdrop, airdrops, crypto staking, yield farming, web3, crypto casino, crypto presale, crypto lending, crypto atm < crypto
title loan, title loans, instant loan, instant loans, quick cash, installment loan, instalment loan, microloan, microloans, earned wage access, no credit check < loan
student loan, student loans, car loan, car loans, personal loan, personal loans, refinancing, reverse mortgage, pawn shop, pawnbroker < loan, financial
copy trading, day trading, trading signals, prop firm, prop trading, penny stocks, crowdfunding, p2p lending, neobank, remittance, remittances, money transfer, robo-advisor, hedge fund < financial
get rich quick, get-rich-quick, make money fast, hyip
mlm, multi-level marketing, multilevel marketing, network marketing
pyramid scheme, pyramid schemes, ponzi, ponzi scheme, ponzi schemes
onlyfans, webcam models, strip club, strip clubs, hentai, fetish, bdsm, xxx < adult
sugar daddy, sugar baby, sugar dating, mail-order bride, mail-order brides, mail order bride, affair dating < dating, adult
airsoft, bb gun, bb guns, silencer, silencers, ghost gun, ghost guns, brass knuckles, switchblade, machete, slingshot < weapon
lobbying, ballot, advocacy, social issues, social issue, voter registration, petition < political
tech support, technical support, third-party tech support
fake id, fake ids, fake documents, false documents, forged documents
tarot, psychic, psychics, fortune telling
astrology, horoscope, horoscopes
occult, witchcraft
deepfake, deepfakes, synthetic media, manipulated media
ai-generated, ai generated, generated by ai
giveaway, giveaways
free gift, free gifts
free trial, free trials
subscription, subscriptions, auto-renewal, recurring billing, negative option
piracy, pirated, torrent, torrents, warez, cracked software
hacking, hacker for hire, hack accounts
ivory, endangered species, protected species, wildlife products
job ads, job offers, recruitment, hiring, employment
housing, real estate, property listings, apartments
vpn, vpns, virtual private network
"""


_LONG_ENOUGH_TO_MISSPELL = 6
"""Letters: among shorter words one letter makes another word."""

_RIGHT = frozenset(
    "meditation bidding insulation candid larger stroke strokes appear appears piston pistons"
    " creating ballet context contexts contents stations heroine heroic collages physics petitions"
    " hiding putting saliva prebiotics".split()
)
"""Right words that are one letter away from a word of the trade."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Other phrases for the same thing, and phrases for the wider things it belongs to."""

    synonyms: tuple[str, ...]
    broader: tuple[str, ...]


@cache
def _entries() -> dict[tuple[str, ...], Entry]:
    """By the stems of a phrase."""
    same: dict[str, list[str]] = {}
    wider: dict[str, list[str]] = {}
    for line in _LINES.strip().splitlines():
        narrow, _, wide = line.partition("<")
        phrases = [each.strip() for each in narrow.split(",")]
        broad = [each.strip() for each in wide.split(",") if each.strip()]
        for phrase in phrases:
            # Words that share a wider one are kinds of it, not each other's synonyms: beer is not wine.
            same.setdefault(phrase, []).extend([] if broad else phrases)
            wider.setdefault(phrase, []).extend(broad)
    found: dict[tuple[str, ...], Entry] = {}
    for phrase, others in same.items():
        key = stems_of_phrase(phrase)
        before = found.get(key, Entry((), ()))
        broader = [each for wide in wider[phrase] for each in (wide, *same.get(wide, []))]
        found[key] = Entry(_others(key, [*before.synonyms, *others]), _others(key, [*before.broader, *broader]))
    return found


def _others(key: tuple[str, ...], phrases: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in phrases if stems_of_phrase(each) != key))


@cache
def longest_phrase() -> int:
    """Words in the longest phrase of the thesaurus."""
    return max(map(len, _entries()))


@lru_cache(maxsize=20_000)
def corrected(word: str) -> str | None:
    """The stem of the word of the trade that a misspelt one is one letter away from ("tabacco"); None if it is none.

    Whole words are compared: among stems "mineral" would be a minor, "positions" politics.
    """
    if len(word) < _LONG_ENOUGH_TO_MISSPELL or word in _RIGHT or stems_of(word) in _entries():
        return None
    near = {
        stems_of(known)[0]
        for known in _single_words().get(word[0], ())
        if OSA.distance(known, word, score_cutoff=1) <= 1
    }
    return near.pop() if len(near) == 1 else None


@cache
def _single_words() -> dict[str, list[str]]:
    """Words that may be misspelt, by first letter."""
    phrases = {each.strip() for line in _LINES.strip().splitlines() for each in line.replace("<", ",").split(",")}
    by_letter: dict[str, list[str]] = {}
    for each in sorted(phrases):
        if each.isalpha() and len(each) >= _LONG_ENOUGH_TO_MISSPELL:
            by_letter.setdefault(each[0], []).append(each)
    return by_letter


def entry_of(stems: tuple[str, ...]) -> Entry | None:
    """What the thesaurus says of the phrase with these stems; None if it is no phrase of the trade."""
    return _entries().get(stems)


@cache
def _kinds() -> dict[tuple[str, ...], tuple[str, ...]]:
    """The narrower phrases by the stems of a wide one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for line in _LINES.strip().splitlines():
        narrow, _, wide = line.partition("<")
        for phrase in wide.split(","):
            found.setdefault(stems_of_phrase(phrase), []).extend(each.strip() for each in narrow.split(","))
    return {stems: tuple(phrases) for stems, phrases in found.items() if stems}


def kinds_of(phrase: str) -> tuple[str, ...]:
    """What the thesaurus knows as kinds of a thing: beer and wine of alcohol."""
    return _kinds().get(stems_of_phrase(phrase), ())


def stems_of_phrase(phrase: str) -> tuple[str, ...]:
    """The stems by which a phrase is looked up: a hyphenated word counts as its parts."""
    return stems_of(phrase.replace("-", " ").replace("/", " "))
