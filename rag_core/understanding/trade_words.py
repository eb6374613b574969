"""The trade's vocabulary, one group a line. How a line is read, `rag_core.understanding.thesaurus` says."""

from rag_core.understanding.trade_goods import GOODS

_WORDS = """
alcohol, alcoholic, booze, liquor, alcoholic drink, alcoholic drinks, alcoholic beverage, alcoholic beverages
beer, wine, spirits, whisky, whiskey, vodka, gin, rum, brandy, tequila, champagne, cider, hard seltzer, cocktail, lager, ale, stout, prosecco, mead, liqueur, sake < alcohol
gambling, betting, wagering, games of chance, real-money gaming, real money gaming
casino, casinos, slots, slot machine, roulette, blackjack, poker, bingo < gambling
sportsbook, sports betting, bookmaker, bookie, betting odds < gambling
lottery, lotteries, lotto, raffle, sweepstake, sweepstakes < gambling
fantasy sports, fantasy sport, daily fantasy, dfs, fantasy games, fantasy leagues < gambling
fantasy football, fantasy cricket, fantasy basketball, fantasy baseball, fantasy hockey, fantasy golf, fantasy league < fantasy sports, gambling
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
payday loan, payday loans, pay day loan, pay day loans, pay-day loans, short-term loan, short-term loans, cash advance, high-cost credit < loan
mortgage, mortgages, bnpl, buy now pay later, credit card, credit cards < loan, financial
financial, finance, financial products, financial services
forex, fx trading, cfd, cfds, binary options, contracts for difference, spread betting < financial
investment, investments, investing, stocks, shares, trading < financial
insurance < financial
political, politics, election, elections, electoral, candidate, issue ads
party, referendum, political campaign, political campaigns, political campaigning, election campaign, election campaigns, politician, politicians, parliament, parliamentary, senate, congress, mayoral < political
dating, matchmaking, dating app, dating apps, tinder
bumble, hinge, grindr, singles app, singles apps < dating
matrimonial, matrimony, marriage bureau, marriage agency, marriage agencies
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
image, images, picture, pictures, photo, photos, pic, pics, photograph, photographs, imagery
video, videos, vid, vids, clip, clips, footage
animation, animated, gif, gifs, flashing, strobe
capital letters, all caps, caps lock, uppercase, capitalisation, capitalization
punctuation, exclamation, exclamation mark, exclamation marks, exclamation point
emoji, emojis, symbol, symbols
swearing, profanity, curse words, bad language, offensive language, vulgar
violence, violent, gore, gory, bloody
hate, hateful, discrimination, discriminatory, racist
food, foods, food products
junk food, hfss, less healthy food, less healthy foods, unhealthy food, unhealthy foods, fast food
energy drink, energy drinks < food, soft drink
soft drink, soft drinks, non-alcoholic beverage, non-alcoholic beverages
surrogacy, fertility, ivf < medicine
health claim, health claims, medical claim, medical claims, cure, cures
size, dimension, dimensions, resolution, aspect ratio, pixels
length, duration, how long, seconds, minutes, hours, days, weeks, months
pop-up, popup, pop-ups, popups, pop-under
debt relief, debt settlement, debt assistance, debt consolidation, debt collection, debt management
debt relief, debt settlement, debt assistance, debt consolidation, debt management, debt negotiation, debt restructuring < debt services
infant formula, baby formula, formula milk, breast milk substitute, baby milk
follow-on formula, follow on formula, follow-on milk, follow-up formula, toddler milk < infant formula
lawyer, lawyers, solicitor, solicitors, law firm, law firms, attorney, attorneys, legal services
dog, dogs, puppy, puppies, cat, cats, kitten, pet, pets < animal, live animal
animal, animals, live animal, live animals
followers, fake followers, fake likes, buy likes, paid likes, fake engagement, engagement
spyware, malware, stalkerware, virus, malicious software
rehab, rehabs, addiction treatment, addiction clinic, addiction clinics, addiction center, addiction centre, addiction centres, rehabilitation, addiction
essay services, essay writing, academic cheating, paper mill
bail bond, bail bonds
ticket, tickets, event ticket, event tickets, concert ticket, concert tickets
ticket resale, resale of tickets, resale of event tickets, resale of concert tickets, ticket reseller, ticket resellers, ticket tout, ticket touts, ticket touting, ticket scalping, ticket scalper, ticket scalpers, secondary ticketing, tout, touts, touting, scalping, scalpers
ticket resale, ticket reseller, ticket resellers, ticket tout, ticket scalping < ticket
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
prize draw, prize draws, prize promotion, prize promotions, contest, contests, competition, competitions, prize competition, prize competitions, giveaway, giveaways, sweepstake, sweepstakes
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
free gift, free gifts
free trial, free trials
subscription, subscriptions, auto-renewal, recurring billing, negative option
piracy, pirated, torrent, torrents, warez, cracked software
hacking, hacker for hire, hack accounts
ivory, endangered species, protected species, wildlife products
job ads, job offers, job, jobs, job vacancies, vacancies, recruitment, hiring, employment
housing, real estate, property, properties, property listings, apartment, apartments, homes for sale
vpn, vpns, virtual private network
crisps, candy, candies, sweets, chocolate, chocolates, confectionery, burger, burgers, ice cream, doughnuts, donuts, sugary cereal, soda, sodas, fizzy drink, fizzy drinks, sugary drink, sugary drinks < junk food, food
red bull, redbull, energy shot, energy shots < energy drink, food
bacon, ham, lard, pork products, prosciutto < pork
rakija, rakia, raki, grappa, ouzo, mezcal, pisco, aquavit, cognac, armagnac, sherry, red wine, white wine, rosé, mulled wine, malt liquor, hard cider, aperitif, ipa, real ale < alcohol
beer garden, beer festival, pub, pubs, wine bar, cocktail bar, wine tasting < alcohol
alcohol-free, non-alcoholic, nonalcoholic, zero-alcohol, zero alcohol, no-alcohol, dealcoholised, dealcoholized
abv, alcohol by volume, alcohol content, alcoholic content, alcohol strength
land-based casino, land-based casinos, brick-and-mortar casino, brick-and-mortar casinos, bricks-and-mortar casino, bricks-and-mortar casinos, brick mortar casino, physical casino, physical casinos, offline casino, offline casinos, casino offline, casino hotel, casino hotels, casino resort, casino resorts
land-based casino, land-based casinos, brick-and-mortar casino, brick-and-mortar casinos, bricks-and-mortar casino, bricks-and-mortar casinos, brick mortar casino, physical casino, physical casinos, offline casino, offline casinos, casino offline, casino hotel, casino hotels, casino resort, casino resorts < casino, gambling
national lottery, state lottery, government lottery, state-run lottery, government-sponsored lottery, government-sponsored lotteries, euromillions, powerball, mega millions < lottery, gambling
charity lottery, charity lotteries, charity raffle, charity raffles, charity draw
charity lottery, charity lotteries, charity raffle, charity raffles, charity draw < lottery, gambling
betting tips, betting tipster, tipster, tipsters, sports picks, sports tips, sports predictions, betting predictions, handicapper, handicappers < gambling, betting
rummy, skill games, games of skill, real-money skill games, mahjong < gambling
poker chips, playing cards, dice, casino chips, gambling paraphernalia
buy-to-enter, require people to buy, requires people to buy, require a purchase, requires a purchase, require payment, requires payment, purchase-required, purchase required, purchase necessary, paid entry, pay to enter, pay-to-enter, entry fee, entry fees
smoking cessation, quit smoking, quit-smoking, quitting smoking, stop smoking, stop-smoking, stopping smoking, give up smoking, nicotine replacement, nicotine replacement therapy, nrt, nicotine gum, nicotine patch, nicotine patches
anti-smoking, anti-tobacco
bank, banks, banking, bank account, bank accounts, current account, current accounts, savings account, savings accounts, debit card, debit cards, prepaid card, prepaid cards < financial
fintech, fintechs, payment app, payment apps, e-wallet, e-wallets, budgeting app, budgeting apps, wealth management, financial planning, financial planner, financial advisor, financial adviser, pension, pensions, annuity, annuities, invoice factoring < financial
brokerage, brokerages, stockbroker, stockbrokers, securities, equities, etf, etfs, mutual fund, mutual funds, ipo, commodities trading, robo advisor < investment, financial
accountant, accountants, accounting firm, tax advisor, tax advisors, tax adviser, tax advisers, tax advice, tax consultant, tax consultancy, certified public accountant, bookkeeper, audit firm
lender, lenders, title lender, title lenders, moneylender, moneylenders, loan shark, credit line < loan
apr, annual percentage rate
leverage, leveraged, margin trading
token, tokens, utility token, utility tokens, token presale, token presales, token launch, token launches, ido, coin launch, crypto token, crypto tokens < crypto
coinbase, binance, kraken, bybit, okx < crypto exchange, crypto
play-to-earn, play to earn, p2e, gamefi < crypto
cream, creams, balm, balms, lotion, lotions, salve, salves, ointment, ointments < topical
gummy, gummies, capsules, softgels, tincture, tinctures, lozenges < ingestible, supplement
fish oil, creatine, whey protein, ashwagandha, turmeric capsules < supplement
dentist, dentists, dental, dental clinic, orthodontist, orthodontics, dental implants
hospital, hospitals, doctor, doctors, physician, physicians, surgeon, surgeons, medical services, medical clinic, private clinic
plant, plants, plant products, houseplant, houseplants, house plants, garden plants, potted plants
in-vitro fertilisation, in vitro fertilisation, in vitro fertilization, ivf
athlete, athletes, footballer, footballers, sportsperson, sportspeople, sports star, sports stars, sportsman, sportsmen, soccer player, soccer players
religion, religions, religious, religious beliefs, faith
ethnicity, ethnic, ethnic origin, racial
sexual orientation, lgbt, lgbtq
marital status, relationship status
zip code, zip codes, zip, zips, postcode, postcodes, post code, postal code, postal codes
custom audience, custom audiences, customer list, customer lists, customer match
look-alike, lookalike, lookalikes, actalike, similar audiences
animal shelter, animal shelters, animal rescue, animal adoption, pet adoption, animal welfare, dog rescue, cat rescue
off-plan, off plan
payday loan, payday loans, pay day loan, pay day loans, pay-day loans
follow-on formula, follow on formula, follow-on milk, follow-up formula, toddler milk
power bank, power banks, powerbank, powerbanks, portable charger
food bank, food banks
blood bank, blood banks, sperm bank, egg bank
drop-shipping, dropshipping, drop shipping
"""

LINES = f"{_WORDS.strip()}\n{GOODS.strip()}\n"
