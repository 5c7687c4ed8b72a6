"""A server that speaks the documented REST APIs of GitHub, Forgejo and GitLab, as far as comments and check runs go.

Sources (2026-11-28): https://docs.github.com/en/rest/issues/comments, /rest/checks/runs, /rest/using-the-rest-api/using-pagination-in-the-rest-api,
/rest/using-the-rest-api/rate-limits-for-the-rest-api, /rest/using-the-rest-api/troubleshooting-the-rest-api; https://docs.gitlab.com/api/notes/,
/api/rest/#pagination; go-gitea/gitea routers/api/v1.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "the-token"
INTEGRATION = {
    "message": "Resource not accessible by integration",
    "documentation_url": "https://docs.github.com/rest",
    "status": "403",
}
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
NOT_FOUND = {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}


class ForgeServer:
    """A forge with one pull request, number 7 of acme/clusters (project 42)."""

    def __init__(self, login="github-actions[bot]", *, has_graphql=True, has_user=False, has_checks=True):
        self.login, self.has_graphql, self.has_user, self.has_checks = login, has_graphql, has_user, has_checks
        self.comments, self.checks, self.requests, self.tokens = [], [], [], []
        self.next_answers = {}
        """By method and the end of a path: the answers that come before the usual one, each a status, a body and headers."""
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                status, answer, headers = forge.answer(self.command, self.path, self.headers, body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", "content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815  # the names of http.server

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def comment(self, login, body):
        made = {"id": 1000 + len(self.comments), "user": {"login": login}, "author": {"username": login}, "body": body}
        self.comments.append(made)
        return made

    def writes(self):
        return [each for each in self.requests if not each.startswith("GET") and "graphql" not in each]

    def answer(self, method, target, headers, body):
        path = urlsplit(target).path
        self.requests.append(f"{method} {path}")
        given = headers.get("private-token") or headers.get("authorization", "").removeprefix("Bearer ")
        self.tokens.append(given)
        for (of_method, end), answers in self.next_answers.items():
            if method == of_method and path.endswith(end) and answers:
                return answers.pop(0)
        return self.usual_answer(method, target, given, body)

    def usual_answer(self, method, target, given, body):
        path = urlsplit(target).path
        answer = 404, NOT_FOUND, {}
        if given != TOKEN:
            answer = 401, {"message": "Bad credentials" if "/repos/" in path else "401 Unauthorized"}, {}
        elif path == "/graphql" and self.has_graphql:
            answer = 200, {"data": {"viewer": {"login": self.login}}}, {}
        elif path == "/user":
            answer = (200, {"login": self.login, "username": self.login}, {}) if self.has_user else (403, INTEGRATION, {})
        elif re.fullmatch(r"/repos/acme/clusters/issues/7/comments|/projects/42/merge_requests/7/notes", path):
            answer = self.listed(target) if method == "GET" else self.written(self.comment(self.login, ""), body, 201)
        elif found := re.fullmatch(r"/repos/acme/clusters/issues/comments/(\d+)|/projects/42/merge_requests/7/notes/(\d+)", path):
            assert method == ("PATCH" if found[1] else "PUT")
            (comment,) = (each for each in self.comments if each["id"] == int(found[1] or found[2]))
            answer = self.written(comment, body, 200)
        elif path.startswith("/repos/acme/clusters/check-runs") and self.has_checks:
            answer = self.checked(method, path, body)
        return answer

    def listed(self, target):
        asked = parse_qs(urlsplit(target).query)
        size, page = min(100, int(asked.get("per_page", ["30"])[0])), int(asked.get("page", ["1"])[0])
        last = -(-len(self.comments) // size)
        where = f"{self.address}{urlsplit(target).path}?per_page={size}&page="
        links = [f'<{where}1>; rel="first"'] if page > 1 else []
        links += [f'<{where}{page + 1}>; rel="next"', f'<{where}{last}>; rel="last"'] if page < last else []
        return 200, self.comments[(page - 1) * size : page * size], {"link": ", ".join(links)} if links else {}

    @staticmethod
    def written(comment, body, status):
        if len(body["body"]) > 65_536:
            error = {"resource": "IssueComment", "code": "unprocessable", "message": "Body is too long (maximum is 65536 characters)"}
            return 422, {"message": "Validation Failed", "errors": [error]}, {}
        comment["body"] = body["body"]
        return status, comment, {}

    def checked(self, method, path, body):
        output = body["output"]
        wrong = [each for each in output.get("annotations", ()) if each["path"].startswith("/") or each["start_line"] < 1]
        if len(output.get("annotations", ())) > 50 or len(output["summary"]) > 65_535 or wrong:
            return 422, {"message": 'Invalid request.\n\nFor "annotations", the items are not valid.', "status": "422"}, {}
        if method == "POST":
            made = {**body, "id": len(self.checks) + 1, "output": {**output, "annotations": list(output.get("annotations", ()))}}
            self.checks.append(made)
            return 201, made, {}
        made = self.checks[int(path.rpartition("/")[2]) - 1]
        made["output"]["annotations"] += output["annotations"]
        return 200, made, {}
