"""Uses a mail server through the Python SDK, in the era given by MODE, and checks what it answers."""

import asyncio
import json
import os

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

URL, TOKEN, PROJECT, MODE = (os.environ[k] for k in ("URL", "TOKEN", "PROJECT", "MODE"))


async def main():
    http = httpx2.AsyncClient(headers={"Authorization": "Bearer " + TOKEN})
    async with Client(streamable_http_client(URL, http_client=http), mode=MODE) as client:
        tools = (await client.list_tools()).tools
        assert all(t.output_schema for t in tools), tools
        # The client checks structured content against the output schema.
        sent = await client.call_tool("send_message", {
            "project_key": PROJECT, "sender_name": "BlueLake", "to": ["RedSky"], "subject": "INFO: python", "body_md": "from python", "thread_id": "TH-py-" + MODE[:6],
        })
        assert not sent.is_error and sent.structured_content["count"] == 1, sent
        inbox = await client.call_tool("fetch_inbox", {"project_key": PROJECT, "agent_name": "BlueLake", "thread_id": "TH-none"})
        assert inbox.structured_content["result"] == [], inbox
        wrong = await client.call_tool("fetch_inbox", {"project_key": PROJECT, "agent_nam": "BlueLake"})
        assert wrong.is_error and "agent_name" in wrong.content[0].text, wrong
        sent = await client.call_tool("send_message", {
            "project_key": PROJECT, "sender_name": "BlueLake", "to": ["BlueLake"], "subject": "INFO: a file", "body_md": "see the file",
            "attachments": [{"name": "a.txt", "media_type": "text/plain", "data_base64": "aGVsbG8="}],
        })
        message = sent.structured_content["deliveries"][0]["payload"]["id"]
        got = await client.call_tool("fetch_attachment", {"project_key": PROJECT, "message_id": message, "name": "a.txt"})
        assert got.structured_content["data_base64"] == "aGVsbG8=", got
        read = await client.read_resource(f"resource://attachment/{message}/a.txt")
        assert read.contents[0].blob == "aGVsbG8=" and read.contents[0].mime_type == "text/plain", read
        listed = (await client.list_resources()).resources
        assert listed, "no resources"
        for r in listed:
            read = await client.read_resource(str(r.uri))
            json.loads(read.contents[0].text)
        assert (await client.list_resource_templates()).resource_templates
        prompt = await client.get_prompt("work-by-mail")
        assert "BlueLake" in prompt.messages[0].content.text, prompt
        for uri in ("resource://nothing/x", "resource://inbox/RedSky?project=" + PROJECT):
            try:
                await client.read_resource(uri)
                raise AssertionError(uri + " was read")
            except MCPError as e:
                assert e.error.code == -32602, e.error
        print("ok", MODE, client.protocol_version, len(tools), len(listed))


asyncio.run(main())
