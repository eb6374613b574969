"""The catalogue: which documents there are to read, in YAML.

groups:                            # who belongs to a group, by the platforms' ids
  legal: [slack:T1/usergroup/S1, slack:T1/channel/C1, entra:TENANT/GUID, oidc:legal]
labels:                            # rulebooks that are never mixed, and the words that name them in questions
  variant: {indoor: [indoor, inside], outdoor: [outdoor, open air], default: outdoor}
sources:
  - id: acme-help                  # stable: documents are remembered under it
    type: folder                   # folder, website, git, discourse, jsonl
    path: policies/acme            # relative to the catalogue's own folder
    policy_source: acme
    display_name: Acme Ads
    aliases: [Acme, AcmeBook]
    region: global                 # where its documents hold unless they say otherwise
    content_type: general
    classification: public         # restricted: only for members of allowed_groups
    allowed_groups: []
    labels: {stage: live}          # a document may state other values
    default_url: https://ads.acme.example/policies
    chunker: sections              # sections, rules, semantic, naive, auto (sections or rules, by what it looks like)
    schedule: every 6h             # daily 03:00, weekly mon 03:00, five cron fields; UTC
    jitter: 5m                     # the longest random delay
    suspicious_shrink: 0.8         # a version that lost more of its text than this is held for review
    misses: 1                      # how often in a row a document must be missing before it is retired
  - id: acme-site
    type: website
    start_urls: [https://ads.acme.example/policies/]
    allowed_paths: [/policies/]    # beginnings of paths or addresses, or ^regular expressions; none: beside the starts
    sitemap: true                  # those of robots.txt, or addresses, or false
    follow_links: true
    most_pages: 500
    trust_lastmod: false
    selectors: {content: main, drop: [.related-articles]}
    policy_source: acme
    display_name: Acme Ads
  - id: acme-history
    type: git
    repository: https://git.example/acme/policies.git
    branch: main
    paths: [ads/]
    since: 2020-01-01
    policy_source: acme
    display_name: Acme Ads
  - id: acme-forum
    type: discourse
    address: https://forum.acme.example
    categories: [policies/5]       # or topics: [12, 34]
    policy_source: acme
    display_name: Acme Ads
  - id: acme-export
    type: jsonl
    path: export.jsonl             # or address: https://export.acme.example/policies.jsonl
    policy_source: acme
    display_name: Acme Ads
"""

from ingest.catalogue.entries import Catalogue
from ingest.catalogue.file import read_catalogue
from ingest.catalogue.opening import SourceTools, open_sources
from ingest.model.labels import LabelWords

__all__ = ["Catalogue", "LabelWords", "SourceTools", "open_sources", "read_catalogue"]
