"""Tests a real API server: python3 example_test.py KUBE_APISERVER, with the path of the executable."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from kubernetes import client, config


class Server:
    """A server of this process, and its test endpoint."""

    def __init__(self, executable):
        self.folder = tempfile.TemporaryDirectory()
        data = Path(self.folder.name)
        flags = [f"--data-dir={data}", "--bind-address=127.0.0.1", "--secure-port=0"]
        self.process = subprocess.Popen([executable, *flags, "--test-endpoint=127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = data / "test-endpoint.json"
        while not file.exists():
            if self.process.poll() is not None:
                raise RuntimeError("the server has ended")
            time.sleep(0.05)
        endpoint = json.loads(file.read_text())
        self.url, self.token = endpoint["url"], endpoint["token"]
        config.load_kube_config(str(data / "admin.kubeconfig"))

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return response.read().decode()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class ExampleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(sys.argv[1])
        cls.addClassCleanup(cls.server.stop)
        cls.server.call("POST", "/snapshots", {"name": "prepared"})

    def setUp(self):
        self.server.call("POST", "/snapshots/prepared/restore")
        self.server.call("DELETE", "/faults")
        self.api = client.CoreV1Api()

    def create(self):
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"))
        return self.api.create_namespaced_config_map("default", body)

    def test_begins_as_prepared(self):
        for _ in range(2):
            self.create()
            self.server.call("POST", "/snapshots/prepared/restore")

    def test_sees_a_conflict(self):
        settings = self.create()
        rule = {"verb": "update", "resource": "configmaps", "times": 1, "response": {"reason": "Conflict"}}
        self.server.call("POST", "/faults", rule)
        with self.assertRaises(client.ApiException) as refused:
            self.api.replace_namespaced_config_map("settings", "default", settings)
        self.assertEqual(refused.exception.status, 409)
        self.api.replace_namespaced_config_map("settings", "default", settings)
        lines = self.server.call("GET", "/requests?verb=update&resource=configmaps").splitlines()
        self.assertEqual([json.loads(line)["response"]["status"] for line in lines][-2:], [409, 200])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
