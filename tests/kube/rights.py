# SPDX-License-Identifier: Apache-2.0
"""Which rights of a role are used: a proxy before an API server that counts them.

It applies the rules itself (enforce), or leaves that to the server and sees what that denies.
"""

import http.client
import http.server
import json
import threading
import urllib.parse


class Rights:
    """The rules of a role and a cluster role, and which of them were used."""

    def __init__(self, objects):
        self.rules, self.used, self.denied = [], set(), set()
        for role in objects:
            if role["kind"] not in ("ClusterRole", "Role"):
                continue
            namespace = role["metadata"].get("namespace")
            for rule in role["rules"]:
                for resource in rule["resources"]:
                    for verb in rule["verbs"]:
                        self.rules.append((namespace, rule["apiGroups"][0], resource, verb))

    @staticmethod
    def of(method, path, query):
        """Namespace, group, resource and verb of a request; None: everybody may."""
        parts = path.strip("/").split("/")
        if parts[0] == "api":
            group, rest = "", parts[2:]
        elif parts[0] == "apis":
            group, rest = parts[1] if len(parts) > 1 else "", parts[3:]
        else:
            return None  # version, openapi
        if not rest:
            return None  # discovery
        namespace = None
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        resource, name = rest[0], len(rest) > 1
        if len(rest) > 2:
            resource += "/" + rest[2]
        verb = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}.get(method)
        if not verb:
            verb = "get" if name else "watch" if "watch=" in query else "list"
        return namespace, group, resource, verb

    def allow(self, wanted):
        """Whether the rules allow what Rights.of answered; notes the rule."""
        for rule in self.rules:
            if wanted is not None and rule[1:] == wanted[1:] and rule[0] in (None, wanted[0]):
                self.used.add(rule)
                return True
        return wanted is None

    def deny(self, wanted):
        namespace, group, resource, verb = wanted
        self.denied.add(f"{verb} {resource} of {group or 'core'}" + (f" in {namespace}" if namespace else ""))


def proxy(rights, host, tls, token, enforce=True):
    """Starts it; answers its address. Requests go on with the token."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def refuse(self, code, reason, message):
            text = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                               "reason": reason, "message": message}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def forward(self):
            url = urllib.parse.urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.close_connection = True
            wanted = Rights.of(self.command, url.path, url.query)
            if not rights.allow(wanted) and enforce:
                rights.deny(wanted)
                return self.refuse(403, "Forbidden", "denied by the rules")
            if "sendInitialEvents" in url.query:  # as servers do that know no watch-list: lists are used, too
                return self.refuse(422, "Invalid", "sendInitialEvents is forbidden for watch")
            there = http.client.HTTPSConnection(host, context=tls, timeout=60)
            kept = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding")}
            kept["Authorization"] = "Bearer " + token  # clients send none to plain servers
            try:
                there.request(self.command, self.path, body or None, kept)
                answer = there.getresponse()
                if answer.status in (401, 403) and wanted:
                    rights.deny(wanted)
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(key, value)
                self.send_header("Connection", "close")
                self.end_headers()
                while data := answer.read1(65536):
                    self.wfile.write(data)
                    self.wfile.flush()
            except (OSError, http.client.HTTPException):
                pass  # one of the two has left
            finally:
                there.close()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
