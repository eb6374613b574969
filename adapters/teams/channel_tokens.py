"""The tokens that Teams signs its requests with."""

from collections.abc import Mapping
from typing import Protocol


class SignedToken(Protocol):
    """`endorsements`: the channels that the key that signed it may speak for."""

    @property
    def claims(self) -> Mapping[str, object]: ...

    @property
    def endorsements(self) -> frozenset[str]: ...


class ChannelTokens(Protocol):
    async def checked(self, token: str) -> SignedToken | None:
        """None unless it is signed (RS256) with a named key of the issuer's, is the issuer's, for our app, and holds
        now: `exp` is there and not over, `nbf` and `iat` are not to come. Never raises for garbage.

        Keys are kept for a day, and fetched at once for one that nobody knows. Raises Unavailable where nobody can
        tell.
        """
        ...
