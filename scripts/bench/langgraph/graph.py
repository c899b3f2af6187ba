"""Sessions as a LangGraph graph: three agents answer at once in each round, and every step is a checkpoint in SQLite.

  graph.py REPLIES.json SESSIONS ROUNDS CONCURRENCY STORE

The graph composes, parses, merges and lints nothing: it only collects the replies.
"""

import asyncio
import json
import operator
import sys
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    question: str
    round: int
    replies: Annotated[list, operator.add]


def graph(replies, rounds):
    built = StateGraph(State)

    # Each round begins when all agents of the round before have answered.
    async def begin(state: State):
        return {"round": state["round"] + 1}

    def agent(name):
        async def answer(state: State):
            return {"replies": [{"agent": name, "text": replies[name][state["round"] - 1]}]}

        return answer

    names = list(replies)
    built.add_node("begin", begin)
    for name in names:
        built.add_node(name, agent(name))
    built.add_edge(START, "begin")
    built.add_conditional_edges("begin", lambda state: names if state["round"] <= rounds else END, [*names, END])
    built.add_edge(names, "begin")
    return built


async def main(replies, sessions, rounds, concurrency, store):
    limit = asyncio.Semaphore(concurrency)
    async with AsyncSqliteSaver.from_conn_string(store) as saver:
        app = graph(replies, rounds).compile(checkpointer=saver)

        async def session(n):
            async with limit:
                config = {"configurable": {"thread_id": str(n)}, "recursion_limit": 2 * rounds + 3}
                done = await app.ainvoke({"question": "Why?", "round": 0, "replies": []}, config)
                if len(done["replies"]) != rounds * len(replies):
                    sys.exit(f"session {n} has {len(done['replies'])} replies")

        await asyncio.gather(*(session(n) for n in range(sessions)))


if __name__ == "__main__":
    path, sessions, rounds, concurrency, store = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        replies = json.load(f)
    asyncio.run(main(replies, int(sessions), int(rounds), int(concurrency), store))
