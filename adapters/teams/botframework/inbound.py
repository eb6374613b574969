"""Whether an activity comes from Teams."""

from botframework.connector.auth import AuthenticationConstants, EndorsementsValidator

from adapters.teams.botframework.connecting import CHANNEL
from adapters.teams.messages import TeamsActivity, activity_of, read_activity
from adapters.teams.settings import is_safe
from adapters.teams.tokens import ChannelTokens, SignedToken
from rag_core.errors import Rejected, Unavailable

_SCHEME = "bearer"
_LONGEST_HEADER = 20_000


class ChannelInbound:
    """A `TeamsInbound`.

    Of botbuilder's own checks it uses the one of endorsements, behind a channel that is never empty (with an empty one
    that says yes). ChannelValidation and JwtTokenExtractor it does not: they take a token without `exp`, raise
    IndexError for an unknown key and all sorts for garbage, look at the issuer before the signature, know the public
    cloud's issuer only, and fetch keys with `requests`, in the event loop and without a time-out.
    """

    def __init__(self, app_id: str, tokens: ChannelTokens) -> None:
        self._app_id = app_id
        self._tokens = tokens

    async def receive(self, authorization: str, body: bytes) -> TeamsActivity:
        scheme, _, token = authorization.partition(" ")
        if len(authorization) > _LONGEST_HEADER or scheme.lower() != _SCHEME:
            raise Rejected("teams_unauthenticated", reason="header")
        signed = await self._checked(token)
        if signed is None or signed.claims.get(AuthenticationConstants.AUDIENCE_CLAIM) != self._app_id:
            raise Rejected("teams_unauthenticated", reason="token")
        raw = read_activity(body)
        if raw.get("channelId") != CHANNEL or not EndorsementsValidator.validate(CHANNEL, list(signed.endorsements)):
            raise Rejected("teams_unauthenticated", reason="channel")
        claimed, address = signed.claims.get(AuthenticationConstants.SERVICE_URL_CLAIM), raw.get("serviceUrl")
        if not isinstance(address, str) or claimed != address or not is_safe(address):
            raise Rejected("teams_unauthenticated", reason="service_url")
        return activity_of(raw)

    async def _checked(self, token: str) -> SignedToken | None:
        try:
            return await self._tokens.checked(token)
        except Unavailable as exc:
            raise Unavailable("teams_keys_unreachable", **exc.details) from exc
