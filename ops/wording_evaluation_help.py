"""Help of `python -m ops evaluate`."""


def help_texts() -> dict[str, str]:
    """Help by option; "evaluate" is the command's own."""
    return {
        "evaluate": "Ask golden questions and measure how right the answers are.",
        "what": "run (default), or draft: write questions from chunks with the settings' language model, for approval.",
        "count": "draft: from how many chunks. Default: 20.",
        "corpus": "draft: sample or real. Default: the documents of the settings, as filled.",
        "seed": "draft: another number picks other chunks. Default: 0.",
        "dataset": "File of golden questions (JSON lines); may be given several times. Default: those in tests/golden.",
        "beir": "Measure retrieval alone on a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.",
        "tuning": "Weigh the signals of re-ranking: figures of several weights on the questions, and better weights. "
        "With --beir what they lose on that collection.",
        "retrieval_only": "Only how well the right sections are found.",
        "skip_correctness": "Leave out faithfulness, relevancy and correctness; no judge model is asked.",
        "judge": "Who grades answers beside the support checks: settings (default: the model that they name, if any), "
        "none, llama (in this process), or the address of an OpenAI-compatible endpoint.",
        "judge_name": "Name of the judge model at that address.",
        "replies": "Recorded replies (JSON lines: hash, reply) in the place of the settings' language model.",
        "prompts": "Add every request without a recorded reply to this file (JSON lines: hash, system, user, schema).",
        "tags": "Only questions with this tag; may be given several times.",
        "ids": "Only these questions; may be given several times.",
        "split": "Which part: dev (default), test or all. Of test only figures are shown.",
        "show_test": "Show single questions of the test part as well. Whoever tunes to them can no longer measure.",
        "top_k": "How many passages a question may use. Default: 15.",
        "bot": "embedded (default), services (the servers of the settings, as filled), mock, or a server's address.",
        "today": "The day on which questions without a day are asked (YYYY-MM-DD). Default: today.",
        "judged": "File of judgements on cited sections beside the gold. Default: that in tests/golden, if any.",
        "unjudged": "Write the citations that nobody judged yet to this file (JSON lines), for people to judge.",
        "output": "Write the report as JSON to this file.",
        "compare": "A report written before: which figures moved, which questions turned.",
        "format": "What goes to standard output: text, json or html.",
        "table": "Print the promised figures as a Markdown table instead, with those on MTRAG and SciFact.",
        "failures": "How many failures the text report lists. Default: 20.",
        "cache": "Folder in which ingested corpora are kept. Default: in the user's cache folder.",
    }
