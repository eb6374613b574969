"""Kinds of goods and services, by category: what people type -> what policies call it. How a line is read
`rag_core.understanding.thesaurus` says."""

GOODS = """
single malt, single malts, malt whisky, malt whiskey, scotch whisky, irish whiskey, rye whiskey, bourbon whiskey, blended whisky < whisky, whiskey, spirits, liquor, distilled spirits, alcohol
whisky, whiskey, vodka, gin, rum, brandy, tequila, mezcal, cognac, armagnac, grappa, ouzo, raki, rakia, rakija, pisco, aquavit, schnapps, absinthe, bourbon, scotch, liqueur, liqueurs, soju, baijiu, arak, cachaça, cachaca, limoncello, sambuca, jägermeister, eau de vie, calvados, slivovitz, pastis, moonshine < spirits, liquor, distilled spirits, hard liquor, alcohol
spirit, distilled spirits, hard liquor < alcohol
lager, lagers, ale, ales, pale ale, stout, stouts, pilsner, pilsener, pils, ipa, craft beer, craft beers, wheat beer, weissbier, draught beer, bock, kölsch, real ale, malt liquor < beer, alcohol
red wine, white wine, rosé, rosé wine, prosecco, champagne, cava, sparkling wine, chianti, rioja, bordeaux, burgundy wine, merlot, riesling, chardonnay, pinot noir, sauvignon blanc, cabernet, malbec, tempranillo, port wine, sherry, vermouth, mulled wine, natural wine, dessert wine, crémant, cremant, madeira wine < wine, alcohol
winery, wineries, vineyard, vineyards, vintner, vintners, wine club, wine shop, wine merchant, wine bar, wine tasting < wine, alcohol
brewery, breweries, brewer, brewers, brewpub, microbrewery, taproom, beer garden, beer festival < beer, alcohol
distillery, distilleries, distiller, distillers < spirits, alcohol
alcopop, alcopops, hard seltzer, hard seltzers, hard kombucha, cocktail, cocktails, cocktail kit, canned cocktail, canned cocktails, ready-to-drink, premix, negroni, mojito, spritz, aperol, hard lemonade, hard cider, perry, mead, sake, makgeolli, palinka, tuak, pulque < alcohol
bartending course, cocktail course, cocktail bar, cocktail bars, off-licence, off licence, booze delivery, alcohol delivery < alcohol
home brewing, home-brewing, homebrew, homebrewing, home brew kit, home-brewing kit, home-brewing kits
bookmaker, bookmakers, bookie, bookies, sportsbook, sportsbooks, sports betting, sports bet, betting shop, betting shops, betting site, betting sites, betting app, betting apps, horse betting, horse racing bets, greyhound betting, totalisator, football bets, football betting, wager, wagers < sports betting, betting, wagers, gambling
sportsbook, sportsbooks, bookmaker, bookmakers, bookie, bookies
online casino, online casinos, online slots, slots app, slot games, video slots, live dealer, live casino, roulette, blackjack, baccarat, craps, jackpot slots, slot machines, pokies, one-armed bandit < online casino, casino, gambling
poker room, online poker, poker tournament, poker site < poker, gambling
pachinko, mahjong for money, bingo hall, online bingo, bingo night < bingo, gambling
scratchcards, scratch-offs, lotto tickets, lottery ticket, lottery tickets, raffle tickets, lottery syndicate, football pools, instant win < lottery, gambling
tipsters, tipping service, betting tipsters, racing tips, football tips, football predictions, match predictions, betting advice < betting tips, gambling
betting tips, tips on wagers, predictions of results, tipster, tipsters
fantasy hockey league, fantasy league app, fantasy team, fantasy cricket app < fantasy sports
gacha, gacha games, mystery box, mystery boxes, blind box, blind boxes, skin cases, lootbox, lootboxes, prize wheel < loot box, loot boxes
e-cigarettes, e-cigs, vapes, vape kits, vape kit, disposable vape, disposable vapes, vape shop, vape shops, vape liquid, vape liquids, vape juice, vaping device, vaping devices, pod system, pod systems, vape cartridge, vape cartridges, e-hookah, e-shisha, electronic shisha, atomiser, puff bar, lost mary, vuse < e-cigarette, vape, vaping, tobacco
vaporiser, vaporisers, vaporizer, vaporizers, vaping device
shisha, hookah, hookahs, waterpipe, waterpipes, water pipe, water pipes, shisha pipe, shisha pipes, nargile, narghile
shisha, hookah, waterpipe, shisha pipe, shisha bar, shisha lounge, hookah bar, hookah lounge, nargile < tobacco, smoking accessories, smoking
rolling papers, cigarette papers, filter tips, cigarette filters, zippo, ashtray, ashtrays, cigar cutter, humidor, humidors, cigarette case, cigarette cases, pipe tobacco, smoking pipe, smoking pipes, pipe filters, bong, bongs, roach clips, dab rig < smoking accessories, tobacco accessories, tobacco paraphernalia
cigarette, cigarettes, cigar, cigars, cigarillo, cigarillos, cheroot, roll-ups, rolling tobacco, pipe tobacco, shag tobacco, beedi, bidi, kretek, clove cigarettes, menthol cigarettes, marlboro < cigarettes, tobacco, smoking
snus, snuff, chewing tobacco, smokeless tobacco, naswar, betel quid, gutka < smokeless tobacco, tobacco
nicotine pouch, nicotine pouches, white snus, nicotine gum, nicotine toothpicks, nicotine salts, nic salts < nicotine
velo, zyn, on! pouches, white snus, snus-type pouches < nicotine pouches, nicotine
nicotine gum, nicotine patch, nicotine patches, nicotine lozenge, nicotine lozenges, nicotine inhaler, nicorette, nicotinell, champix, quit-smoking app, quit smoking app, stop-smoking aid, stop-smoking aids < smoking cessation, nicotine replacement, stop-smoking aids
kitchen knife, kitchen knives, chef knife, chef's knife, chef's knives, chefs knife, bread knife, bread knives, paring knife, steak knife, steak knives, santoku, santoku knife, cleaver, cleavers, meat cleaver, carving knife, boning knife, knife block, knife set, cutlery < kitchen knives, knives
culinary knife, culinary knives, kitchen knife, kitchen knives, chef's knife, chef's knives
flick knife, flick knives, switchblade, switchblades, switchblade knife, butterfly knife, butterfly knives, balisong, gravity knife, gravity knives, throwing knife, throwing knives, throwing star, throwing stars, shuriken, hunting knife, hunting knives, combat knife, combat knives, pocket knife, pocket knives, penknife, machete, machetes, dagger, daggers, push dagger, bayonet, bayonets, karambit, zombie knife, zombie knives, stiletto knife, box cutter, sword stick, sword cane, tactical knife < knives, blades, weapon
sword, swords, katana, katanas, sabre, rapier, machete, dagger, daggers < blades, weapon
hatchet, hatchets, axe, axes, tomahawk, chainsaw, chainsaws, pruning saw, secateurs, garden shears, scythe < tools
bow, archery, archery bow, recurve bow, compound bow, longbow, crossbow bolts < archery, bows
shotgun, shotguns, air rifle, air rifles, air gun, air guns, airgun, hunting rifle, hunting rifles, revolver, revolvers, semi-automatic, machine gun, pistols, handguns, ar-15, flintlock, starter pistol, blank-firing gun, gas pistol, 3d-printed gun, 3d printed gun < gun, firearm, weapon
cartridges for guns, bullet, bullets, shotgun shells, ammo, ammunition, gunpowder < ammunition, weapon
gun parts, gun kit, lower receiver, bump stock, bump stocks, suppressor, suppressors, gun barrel, gun magazine, rifle scope, rifle scopes, red dot sight, gun safe, gun safes, gun holster, gun holsters, body armour, body armor, bulletproof vest, bulletproof vests, ballistic vest, gun accessories < weapon accessories, gun accessories, gun parts, weapon
body armour, body armor, bulletproof vest, bulletproof vests, ballistic vest, plate carrier
pepper spray, pepper sprays, mace spray, tear gas, bear spray, taser, tasers, stun gun, stun guns, electroshock, electroshock device, electroshock devices, knuckle duster, knuckle dusters, nunchucks, self-defence spray, self-defense spray < self-defence, weapon
taser, tasers, stun gun, stun guns, electroshock weapon, electroshock device, electroshock devices
shooting range, shooting ranges, gun range, gun ranges, rifle range, clay shooting, marksmanship school, gun club, shooting club
stage sword, stage swords, theatre prop, theatre props, theater prop, theater props, prop sword, prop swords, prop weapon, prop weapons, film props, cosplay weapon, cosplay weapons, larp sword, larp swords, foam sword < replica, theatre props, props
firework, fireworks, pyrotechnic, pyrotechnics, pyrotechnic article, pyrotechnic articles
firecracker, firecrackers, roman candle, roman candles, skyrocket, skyrockets, smoke bomb, smoke bombs, catherine wheel, display shells, new year's eve rockets < fireworks, pyrotechnics, explosives
dynamite, grenade, grenades, detonator, detonators, landmine, tnt, bomb-making, bomb making < explosives, weapon
drone, drones, uav, uavs, unmanned aircraft, unmanned aerial vehicle, unmanned aerial vehicles, quadcopter, quadcopters, quadrocopter, camera drone, camera drones, fpv drone, fpv drones, multicopter, dji
jammer, jammers, signal jammer, signal jammers, radar detector, radar detectors, gps jammer, speed camera detector
spy camera, spy cameras, hidden camera, hidden cameras, listening device, listening devices, bugging device, keylogger, keyloggers, phone tracker, phone tracking app, spy app, spy apps, covert recorder, gps tracker, gps trackers, wiretap, nanny cam < surveillance, spyware, tracking device
surveillance, surveillance equipment, spy equipment, covert surveillance
private investigator, private investigators, private detective, private detectives, detective agency
lock picking, lock pick, lock picks, lockpick set, skeleton key
ibuprofen, paracetamol, acetaminophen, naproxen, diclofenac, aspirin, painkiller, painkillers, pain relief gel, cold medicine, cold and flu tablets, flu medicine, cough syrup, cough drops, cough medicine, antihistamine, antihistamines, hay fever tablets, allergy tablets, antacid, antacids, laxative, laxatives, nasal spray, decongestant, eye drops, antifungal cream, cold sore cream, throat spray, throat lozenges, heartburn tablets, loperamide, imodium, advil, nurofen, tylenol, voltaren < over-the-counter medicines, non-prescription medicines
otc medicine, otc medicines, otc drug, otc drugs, over-the-counter medicine, over-the-counter medicines, over-the-counter drugs, non-prescription medicine, medicine sold without prescription
antidepressant, antidepressants, ssri, sertraline, prozac, insulin, statin, statins, blood pressure tablets, beta blockers, antibiotic, antibiotics, amoxicillin, isotretinoin, roaccutane, accutane, tretinoin, ritalin, modafinil, zolpidem, ambien, diazepam, oxycodone, morphine, methadone, warfarin, inhaler for asthma, contraceptive pill, botulinum toxin, minoxidil tablets, levitra, propecia < prescription, prescription medicines, medicine
glp-1, glp1, ozempic, wegovy, mounjaro, saxenda, semaglutide, tirzepatide, liraglutide, weight-loss jab, weight-loss jabs, weight loss jab, weight loss jabs, weight-loss injection, weight-loss injections, weight loss injection, weight loss injections, skinny jab, skinny jabs, slimming injection, slimming injections, weight loss pen < weight loss, weight-loss injections, prescription, prescription medicines, medicine
vaccine, vaccines, vaccination, vaccinations, flu jab, flu shot, hpv vaccine, travel vaccination < medicine
medical device, medical devices, blood pressure monitor, glucose monitor, hearing aid, hearing aids, contact lenses, thermometer, tens machine, oxygen concentrator, cpap, defibrillator, wheelchair, wheelchairs, pregnancy test, pregnancy tests, ovulation test, covid test, self-test kit, pulse oximeter < medical devices, healthcare
blood test, home blood test, health screening, body scan, mri scan, gut microbiome test, allergy test, food intolerance test < medical tests, healthcare
dna kit, dna kits, ancestry test, ancestry tests, dna test kit, dna tests, 23andme, genetic health test < genetic test, genetic tests, dna test
clinical trial, clinical trials, medical trial, medical trials, medical study, drug trial, drug trials
stem cell, stem cells, stem cell therapy, exosomes, prp therapy, gene therapy, iv drip, iv drips, vitamin drip, chelation, ozone therapy, hyperbaric oxygen
cosmetic surgery, plastic surgery, aesthetic surgery, plastic surgeon, plastic surgeons, cosmetic surgeon, cosmetic surgeons, cosmetic clinic, cosmetic procedure, cosmetic procedures, aesthetic clinic, aesthetic procedure
rhinoplasty, nose job, nose jobs, nose correction, nose corrections, facelift, facelifts, tummy tuck, tummy tucks, liposuction, bbl, brazilian butt lift, breast implant, breast implants, breast enlargement, breast reduction, eyelid surgery, blepharoplasty, otoplasty, ear pinning, labiaplasty, chin implant, buttock implants, weight loss surgery, gastric band, gastric sleeve, hair transplant, hair transplants, hair transplantation < cosmetic surgery, cosmetic procedures
botox, dysport, filler, fillers, lip filler, lip fillers, dermal filler, dermal fillers, lip injections, anti-wrinkle injection, anti-wrinkle injections, hyaluronic filler, profhilo, fat dissolving injections, mesotherapy, injectable, injectables, microneedling, laser hair removal, chemical peel, chemical peels, cryolipolysis, coolsculpting, teeth whitening, thread lift, permanent make-up, microblading < cosmetic procedures, cosmetic treatments
botox, fillers, lip filler, lip fillers, dermal filler, dermal fillers, anti-wrinkle injection, anti-wrinkle injections, profhilo, skin boosters < injectables
hair transplant, hair transplants, hair transplantation, fue, fut, fue transplant, fue transplants, hair clinic, hair clinics, hair restoration, hair transplant clinic, hair transplant clinics
laser eye surgery, lasik, eye surgery, cataract surgery
skin lightening, skin-lightening, skin whitening, skin-whitening, skin bleaching, skin-bleaching, bleaching cream, fairness cream, skin-lightening creams, whitening cream
sunscreen, sunscreens, sun cream, sun creams, suncream, sunblock, spf, spf cream, sun lotion, sun protection
lipstick, mascara, foundation makeup, eyeliner, nail polish, concealer, eyeshadow, make-up, makeup, perfume, fragrance, shampoo, hair dye, hair care, moisturiser, moisturizer, face cream, skin care, skincare, serum, deodorant, shower gel, face mask, anti-ageing cream, anti-aging cream, retinol < cosmetics, beauty products
make-up, makeup
anti-ageing, anti-aging, antiageing, antiaging
skin care, skincare
sunbed, sunbeds, tanning bed, tanning beds, solarium, tanning salon, tanning injections, melanotan < tanning
tattoo, tattoos, tattoo studio, tattoo studios, tattoo parlour, tattoo parlor, tattooist, tattoo artist, tattoo shop
piercing, piercings, piercing studio, body piercing, body modification
ivf, in vitro, egg freezing, fertility clinic, fertility clinics, fertility treatment, fertility treatments, iui, assisted reproduction < fertility, fertility treatment, fertility clinics
egg donor, egg donors, egg donation, sperm donor, sperm donors, sperm donation, egg and sperm donation, sperm bank, gamete donation
surrogate, surrogates, surrogacy, surrogate mother, surrogate mothers, surrogacy agency
cannabis seeds, marijuana seeds, medical cannabis, medical marijuana, joint, pre-roll, pre-rolls, budtender, cannabis club, thc gummies, thc drink, thc drinks, thc vape, hash oil, hashish, weed delivery, grow kit for cannabis < cannabis
kratom, kava, salvia, magic truffles, ayahuasca, peyote, dmt, ghb, poppers, speed amphetamine, methamphetamine, crystal meth, heroin, crack cocaine, khat, spice drug, legal highs, laughing gas, whippets, nitrous oxide, amphetamine, amphetamines < drugs, illegal drugs, recreational drugs
drug paraphernalia, crack pipe, drug test cheat, synthetic urine, drug detox kit
vitamin, vitamins, multivitamins, vitamin c, vitamin d, iron tablets, calcium tablets, folic acid < vitamins and minerals, supplements
protein powder, protein powders, whey, whey protein, whey isolate, casein, casein protein, protein shake, protein shakes, vegan protein, mass gainer
whey protein, protein powder, creatine, bcaa, bcaas, pre-workout, preworkout, amino acids, fish oil, krill oil, omega 3, omega-3, spirulina, ginseng, maca, ginkgo, echinacea, biotin, collagen powder, melatonin gummies, sleep gummies, greens powder, electrolytes, testosterone booster, testosterone boosters, hair vitamins, detox supplement, mushroom capsules, lion's mane, probiotics, nootropic, superfood powder < supplements
slimming pill, slimming pills, slimming product, slimming products, diet pill, diet pills, weight-loss pill, weight-loss pills, weight loss pills, fat burner, fat burners, fat-burning pills, fat burning pills, keto gummies, appetite suppressants, carb blocker, carb blockers, detox tea, detox teas, slimming tea, slimming teas, skinny tea, garcinia, orlistat, waist trainer, slimming patches, meal replacement shakes < slimming products, weight loss
calorie-tracking app, calorie-tracking apps, calorie tracking, calorie counter, calorie counting, calorie counter app, diet app, diet apps, fasting app, fasting apps, weight-loss app, weight loss app < diet apps, weight loss
calorie tracking, calorie-tracking, calorie counter, calorie counting
gym, gyms, gym membership, gym memberships, fitness studio, fitness studios, fitness centre, fitness center, health club, health clubs, crossfit, pilates studio, yoga studio, yoga studios, personal trainer, personal trainers
baby formula, infant formula, formula milk, first milk, stage 1 milk, stage one milk, newborn formula, infant milk, starter formula, breastmilk substitute, breast-milk substitute, breast-milk substitutes
follow-on milk, follow-on formula, follow on milk, growing-up milk, growing up milk, toddler milk, stage 2 milk, stage two milk, stage 3 milk
baby bottle, baby bottles, feeding bottle, feeding bottles, teat, teats, baby food, weaning food, baby cereal < infant feeding, baby food
raw milk, unpasteurised milk, unpasteurized milk
crisps, potato chips, chips snack, chocolate, chocolates, chocolate bar, chocolate bars, sweets, candy, gummy bears, lollipop, lollipops, biscuits, cookies snack, cakes, doughnut, doughnuts, donut, donuts, ice cream, ice creams, soda, sodas, cola, fizzy drinks, lemonade, milkshake, milkshakes, burger, burgers, fries, pizza, pizzas, fried chicken, kebab, sugary cereals, popcorn, pastries, sugary drinks < junk food, hfss, processed food, food high in fat, food
energy drinks, energy shot, energy shots, red bull, monster energy, caffeine drink, guarana drink, pre-workout drink < energy drinks
payday loan, payday loans, payday lender, payday lenders, payday advance, short term loan, short term loans, salary advance, instant cash loan, quick loan, quick loans, 30 day loan, 30-day loan, doorstep loan, doorstep lending, logbook loan, logbook loans, bad credit loans, bad-credit loans < payday loans, loans, consumer loans
personal loan, personal loans, consumer loan, consumer loans, consumer credit, car loan, car loans, auto loan, auto loans, car finance, overdraft, cash loan, cash loans, home equity loan, bridging loan, guarantor loan, peer-to-peer loan, wedding loan, student loan, student loans, business loan, business loans < consumer loans, loans, credit
lender, lenders, loan provider, loan company, money lender, money lenders, credit union, credit broker < loans, credit
mortgage, mortgages, home loan, home loans, remortgage, remortgaging, house loan, mortgage broker, mortgage brokers, mortgage lender < mortgages, loans
buy now pay later, buy now, pay later, bnpl, pay later, pay in 3, pay in 4, pay in three, pay in four, split payments, pay in instalments, pay in installments, instalment plan, klarna, afterpay, clearpay, zip pay
debit card, debit cards, prepaid card, prepaid cards, payment card, payment cards, bank card, bank cards
credit card, credit cards, store card, store cards, charge card < credit, payment cards
current account, current accounts, checking account, savings account, savings accounts, isa, fixed deposit, term deposit, children's savings account, junior isa < bank accounts, savings accounts
budgeting app, budgeting apps, budget planner, expense tracker, money management app, savings app
credit repair, credit score, credit scores, credit report, credit reports, credit check < credit, financial services
debt settlement, debt relief, debt consolidation, debt management, debt advice, debt counselling, iva, bankruptcy service, debt write-off < debt services
investment fund, investment funds, index fund, mutual fund, mutual funds, unit trust, unit trusts, pension fund, pension funds, index funds, bonds, government bonds, stocks and shares, share dealing, trading app, stock trading app, stock broker, online broker, real estate investment, reit, gold investment, wine investment, angel investing, crowdfunding, equity crowdfunding < investments, financial
contracts for difference, contract for difference, cfd, cfds
contracts for difference, cfd trading, cfd broker, binary option, spread bet, spread bets, spread betting, leveraged etf, forex trading, forex broker, forex signals, fx broker, currency trading, options trading, leveraged product, leveraged products, turbo certificates < leveraged products, derivatives, financial
forex, foreign exchange trading, fx trading, currency trading
trading course, trading courses, trading academy, stock trading course, day trading course, forex course, trading guru, trading bot, trading bots, trading signals
funeral plan, funeral plans, insurer, insurers < insurance
bitcoin, btc, ethereum, dogecoin, solana, xrp, litecoin, cardano, stablecoin, stablecoins, usdt, tether, usdc, altcoin, altcoins, meme coin, meme coins, shitcoin, shitcoins, digital token, digital tokens, crypto token, crypto tokens, governance token < crypto, crypto-assets, cryptocurrency, digital tokens, digital currency
digital token, digital tokens, crypto-asset, crypto-assets, cryptoasset, cryptoassets, virtual asset, virtual currencies, digital currency, digital currencies < crypto
crypto exchange, crypto exchanges, bitcoin exchange, crypto trading platform, crypto trading app, crypto broker, crypto atm, bitcoin atm, crypto trading < crypto exchanges, crypto
crypto wallet, crypto wallets, custodial wallet, custodial wallets, hardware wallet, bitcoin wallet, cold wallet, ledger wallet, metamask < crypto wallets, crypto
initial coin offering, initial coin offerings, ico, icos, ico presale, token sale, token sales, coin presale, token presale, ieo, sto, initial sale of tokens, initial sale of digital tokens
nft, nfts, nft collection, nft drop, nft marketplace, digital collectible, digital collectibles, non-fungible token, non-fungible tokens < crypto
staking, defi, yield farming, liquidity mining, cloud mining, crypto mining, bitcoin mining, mining rig, mining rigs < crypto
dating app, dating apps, dating site, dating sites, dating service, dating services, online dating, speed dating, speed-dating, matchmaker, matchmakers, matchmaking agency, singles night, singles event, singles events, okcupid, tinder, hinge, bumble, badoo < dating
affair site, affair sites, extramarital, extramarital dating, extra-marital, infidelity, cheating site, married dating, ashley madison
extramarital dating, affair site, affair sites, hook-up app, hookup app, hookup apps, hookup site, swingers, swinger, fling site, one-night stands < dating, adult
sugar daddy, sugar daddies, sugar baby, sugar babies, sugar dating, sugar mummy, sugaring, arrangement dating, seeking arrangement, paid companionship, compensated dating
escort, escorts, escort agency, escort agencies, escort service, escort services, prostitution, brothel, brothels, call girl, erotic massage, sexual services, sex work < sexual services, adult
porn site, porn sites, porn, adult site, adult sites, cam site, cam sites, camgirl, camgirls, cam girls, webcam site, webcam sites, adult chat, sex chat, sexting, erotica, adult video, adult videos, fan page of nudes, onlyfans, strip club, strip clubs, stripper, strippers < pornography, pornographic sites, adult content, adult
sex toy, sex toys, vibrator, vibrators, dildo, dildos, adult toy, adult toys, butt plug, love doll, sex doll, sex dolls, bondage gear, masturbator < sex toys, adult
lube, lubes, lubricant, lubricants, personal lubricant, condom, condoms, femidom, viagra gel, delay spray < sexual health, products for sexual health
condom, condoms, birth control pill, birth control pills, morning after pill, morning-after pill, emergency contraception, iud, femidom, contraceptive, contraceptives < contraceptives, contraception
lingerie, bra, bras, knickers, thong, thongs, corset, corsets, boxers underwear, panties, shapewear, hosiery < underwear, lingerie
bikini, bikinis, swimsuit, swimsuits, swimming trunks, bathing suit, bathing suits < swimwear
pole dance class, pole dancing, burlesque show, hen party, stag party, stag do
dog breeder, dog breeders, cat breeder, cat breeders, puppy breeder, breeder, breeders, puppies for sale, kittens for sale, puppy, puppies, kitten, kittens, dachshund, labrador, poodle, persian cat < animals, live animals, pets
goldfish, koi, tropical fish, aquarium fish, pet fish < fish, live animals, pets
hamster, hamsters, guinea pig, guinea pigs, rabbit, rabbits, ferret, ferrets, gerbil, chinchilla, parrot, parrots, parakeet, budgie, budgies, canary, hens for sale, horse for sale, pony, ponies < live animals, animals, pets
snake, snakes, python snake, lizard, lizards, gecko, geckos, iguana, iguanas, tortoise, tortoises, turtle, turtles, chameleon, terrapin, bearded dragon < reptiles, live animals, animals, pets
tarantula, tarantulas, scorpion, stick insect, ant farm, beehive, live bees < insects, live animals, animals
monkey, monkeys, primate, primates, big cat, tiger cub, exotic pet, exotic pets, exotic animal, exotic animals < live animals, animals, pets
dog food, cat food, kibble, pet food, dog treats, cat treats, raw pet food < pet food
dog toy, dog toys, cat toy, cat toys, pet toy, pet toys, scratching post < pet toys
dog grooming, pet grooming, groomer, groomers, vet, vets, veterinary, veterinary clinic, dog walker, dog walkers, dog walking, pet sitter, kennels, cattery < pet services
shock collar, shock collars, e-collar, e-collars, electric collar, electric collars, prong collar, prong collars, bark collar, choke chain
animal adoption, adopt a dog, adopt a cat, adopt a pet, dog shelter, cat shelter, rescue dogs, rescue pups, rehoming, re-homing, pet rescue, dogs looking for a home < animal adoption, animals for adoption
elephant ride, elephant rides, elephant riding, riding elephants, camel ride, camel riding, swimming with dolphins, dolphin show, dolphinarium, tiger selfie, lion petting, cub petting, animal selfie, ostrich riding < wild animals
trophy hunting, trophy hunt, safari hunt, hunting safari, canned hunting, hunting trip, hunting trips, deer season, hunting season, deer stalking < hunting
camo, camouflage, hunting jacket, hunting boots, hunting gear, hunting clothing, camouflage clothing < hunting clothes
fur coat, fur coats, real fur, mink, ivory carving, rhino horn, shark fin, tortoiseshell, coral jewellery, taxidermy, exotic leather, crocodile bag < wildlife products, animal products
essay mill, essay mills, essay-writing, essay-writing service, essay-writing services, essay writing service, essay writing services, dissertation writing, dissertation service, thesis writing, ghostwriting for students, homework service, homework help for money, coursework writing, write my essay, assignment help, contract cheating, exam taker, exam answers, plagiarism
essay-writing services, essay writing services, dissertation writing, thesis writing, assignment writing, academic writing service
university, universities, college, colleges, degree course, degree courses, master's degree, mba, language school, language schools, online course, online courses, bootcamp, tutoring, tutor, tutors, e-learning, evening class, driving school, language course, vocational school < education, courses
fake diploma, fake diplomas, fake degree, fake degrees, diploma mill, diploma mills, unaccredited university
passport, passports, visa service, citizenship by investment, citizenship-by-investment, golden visa, golden visas, golden passport, second passport, residency by investment, investor visa
work from home scheme, business opportunity, business opportunities, passive income, make money online, affiliate income, side hustle course, recruit others, mlm, multi-level, network marketing, pyramid selling, herbalife
mlm, multi-level marketing, pyramid scheme, ponzi scheme, pyramid selling, matrix scheme, cash gifting
psychic, psychics, medium reading, clairvoyant, clairvoyants, fortune teller, fortune tellers, fortune-telling, fortune telling, tarot, tarot reading, tarot readings, palm reading, crystal ball, spell casting, love spells < fortune telling, occult
astrology, astrologer, horoscope, horoscopes, zodiac, star signs, birth chart, horoscope app, astrology app, astrology apps, horoscope apps
trade union, trade unions, labour union, labor union, union membership, strike fund
donation, donations, fundraiser, fundraisers, fundraising, charity appeal, charity appeals, charitable appeal, gofundme, crisis appeal, charity donations, donation appeal
charity, charities, ngo, ngos, non-profit, nonprofit, non-profits, charitable organisation, charitable organization, foundation charity, hospice
charity fundraiser, hospice fundraiser, fundraising appeal < charity appeal, charity
party political, political party, political parties, election ad, election ads, electoral ad, candidate ad, campaign rally, vote for, get out the vote, ballot measure, referendum campaign, yes campaign, canvassing, super pac, pac, mayor, mp candidate, councillor, attack ad, attack ads < political, political ads, election ads
issue ad, issue ads, issue-based ads, cause ads, climate campaign, abortion rights, gun control campaign, immigration campaign, lobby group < political, issue ads
election merch, campaign merchandise, political merchandise, political t-shirt, political merch, campaign badge, campaign badges, trump hat, maga hat, candidate t-shirts < political merchandise, political
polling station, polling stations, voter information, voter registration drive, electoral commission, election commission, election authority, electoral authority, how to vote, where to vote
anti-smoking psa, anti-smoking campaign, anti-smoking, anti smoking, stop smoking campaign, harms of smoking, tobacco harm campaign
laser pointer, laser pointers, laser pen, magnet toy, magnetic balls, magnetic ball set, magnetic ball sets, buckyballs, water beads, water bead, water-bead, water-bead toys, orbeez, slime kit < toys
water beads, water bead, water-bead, water-bead toy, water-bead toys, orbeez, water gel beads
toy, toys, lego, building blocks, doll, dolls, board game, board games, puzzle, jigsaw, teddy bear, plush, plush toy, action figure, action figures, playset, toy cars < toys
trading card, trading cards, pokemon cards, panini stickers, booster pack, collectible cards
organ trade, organ sale, sale of organs, kidney for sale, body parts, human organs
stolen goods, stolen credit cards, carding, counterfeit money, counterfeit banknotes, fake money, fake passport, fake passports, fake ids, forged certificate, fake vaccination card
fake designer, fake watch, fake watches, fake rolex, replica bag, replica bags, replica handbags, replica handbag, replica watch, replica watches, designer dupes, dupes, superfake, imitation brand goods, bootleg < counterfeit, counterfeits
iptv, iptv box, jailbroken firestick, cracked apps, keygen, stream ripper, pirate streaming, illegal streaming, torrent site, torrent sites, free movie streaming < piracy, copyright
buy followers, buy likes, buy reviews, fake reviews, paid reviews, follower service, engagement pods, view bot < fake engagement
ddos, ddos service, botnet, phishing kit, phishing, exploit kit, ransomware, password cracker, hacking course, ethical hacking course, card skimmer, sim swap < hacking, malware
proxy service, vpn app, residential proxy, tor browser < vpn
flat, flats, house for sale, houses for sale, rental, rentals, flat share, flatshare, room to rent, letting agent, letting agents, estate agent, estate agents, real-estate agent, real estate agent, realtor, realtors, letting agency, apartments for rent, holiday let, timeshare, timeshares, new-build homes < housing, real estate, property
job vacancy, job vacancies, vacancy, vacancies, job posting, job postings, recruiter, recruiters, recruitment agency, staffing agency, temp agency, headhunter < jobs, employment
personal injury lawyer, injury lawyer, divorce lawyer, claims management, compensation claims, whiplash claims, ppi claims, accident claims, no win no fee < legal services
funeral home, funeral homes, funeral director, funeral directors, undertaker, cremation, coffin, coffins, burial plot
roadside screen, roadside screens, roadside panel, roadside digital panel, digital billboard, digital billboards, roadside billboard, led billboard
bus wrap, bus wraps, wrap a bus, bus side, bus sides, bus exterior, outside of buses, bus advertising
companion banner, companion banners, display banner, display banners, leaderboard, skyscraper ad, mpu
tracking pixel, tracking pixels, measurement pixel, conversion pixel, web beacon, impression tracker, third-party tag, third-party tags
voice clone, voice cloning, cloned voice, ai clone, ai voice clone, synthetic copy of a voice, deepfake voice, voice deepfake < synthetic voice, deepfake
ai voice, ai voices, synthetic voice, synthetic voices, synthetic voiceover, ai voiceover, text-to-speech, tts, computer-generated voice
retouched, airbrushed, photoshopped, filtered image, filtered images, beauty filter, beauty filters
"""
