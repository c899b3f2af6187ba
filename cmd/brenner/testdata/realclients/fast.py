"""Uses a mail server through FastMCP, in the era given by MODE, and checks what it answers."""

import asyncio
import json
import os

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError

URL, TOKEN, PROJECT, MODE = (os.environ[k] for k in ("URL", "TOKEN", "PROJECT", "MODE"))


async def main():
    async with Client(StreamableHttpTransport(URL, auth=TOKEN), mode=MODE) as client:
        tools = await client.list_tools()
        sent = await client.call_tool("send_message", {
            "project_key": PROJECT, "sender_name": "BlueLake", "to": ["RedSky"], "subject": "INFO: fast", "body_md": "from fast", "thread_id": "TH-fast-" + MODE[:6],
        })
        assert sent.structured_content["count"] == 1, sent
        try:
            await client.call_tool("send_message", {"project_key": PROJECT, "sender_name": "RedSky", "to": ["BlueLake"], "subject": "s", "body_md": "b"})
            raise AssertionError("sent as another agent")
        except ToolError as e:
            assert "MAIL_NOT_YOURS" in str(e), e
        listed = await client.list_resources()
        assert listed, "no resources"
        for r in listed:
            json.loads((await client.read_resource(r.uri))[0].text)
        assert await client.list_resource_templates()
        assert await client.list_prompts()
        print("ok", MODE, len(tools), len(listed))


asyncio.run(main())
