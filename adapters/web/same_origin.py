"""Whether one of our own pages caused a request: browsers say so, programs need not."""

from urllib.parse import urlsplit

from aiohttp import web


def is_of_our_page(request: web.Request, public_url: str) -> bool:
    """By Sec-Fetch-Site; from a browser that does not send it (an old one, or a plain http address), by Origin."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    host, public = request.headers.get("Host", "").lower(), origin_of(public_url)
    ours = {public} if public.partition("://")[2] == host else {f"http://{host}", f"https://{host}"}
    return {origin.lower() for origin in request.headers.getall("Origin", [""])} <= ours


def origin_of(url: str) -> str:
    """`scheme://host:port`, as browsers write it in Origin; "" for no address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.netloc else ""
