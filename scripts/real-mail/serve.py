"""Serves mcp-mail on loopback, in the current directory: serve.py PORT. Settings are environment variables."""
import os
import sys

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the internet at every start
os.environ.setdefault("LLM_ENABLED", "false")
os.environ.setdefault("TOOLS_LOG_ENABLED", "false")
os.environ.setdefault("LOG_RICH_ENABLED", "false")
os.makedirs(".mcp_mail", exist_ok=True)  # of its database

from mcp_agent_mail.cli import app  # noqa: E402

app(["serve-http", "--host", "127.0.0.1", "--port", sys.argv[1], "--path", "/mcp/"])
