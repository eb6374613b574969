"""How strong drinks are, in percent of alcohol by volume, whatever the brand: rules set bounds that name no drink.

Lowest and highest that is sold under the word; the lowest of spirits and wines by Regulations (EU) 2019/787 and
1308/2013. Of beer, cider and cocktails nothing is sure: there are all strengths, without alcohol as well.
"""

_SPIRITS = (35.0, 80.0)
_WINES = (4.5, 22.0)
_FORTIFIED = (15.0, 22.0)

STRENGTHS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        "vodka gin rum whisky whiskey brandy tequila mezcal cognac armagnac grappa bourbon scotch absinthe".split(),
        _SPIRITS,
    ),
    **dict.fromkeys("wine wines champagne prosecco".split(), _WINES),
    **dict.fromkeys(("port wine", "sherry"), _FORTIFIED),
}
