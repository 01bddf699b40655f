# SPDX-License-Identifier: Apache-2.0
"""usage: prometheus_test.py SOURCE-FOLDER PROGRAM-FOLDER

A real Prometheus server scrapes a real weftd that has done a job. promtool judges the names, the
alert rules and their tests; every value of the alerts and the dashboard exists. Exit status 77:
prometheus or ffmpeg is missing.
"""
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

SOURCE = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
DEADLINE_S = 60
FRAMES = 25


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def wait_for(what, is_there):
    """Returns what `is_there` returns once that is true."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        try:
            if value := is_there():
                return value
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit(f"failed: {what} (waited {DEADLINE_S} s)")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_daemon(folder):
    log = open(folder / "weftd.log", "w+")
    daemon = subprocess.Popen(
        [PROGRAMS / "weftd", "--state-dir", folder / "state", "--cache-dir", folder / "cache", "--lock-dir", folder / "locks",
         "--listen", f"unix:{folder}/weft.sock", "--device", "cpu", "--metrics-listen", "127.0.0.1:0"],
        stderr=log)
    address = wait_for("weftd says where its metrics are", lambda: re.search(
        r"Metrics are at (http://[0-9.:]+/metrics)", (folder / "weftd.log").read_text()))
    return daemon, address.group(1)


def do_a_job(folder):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-frames:v",
                    str(FRAMES), "-c:v", "ffv1", "-field_order", "tt", folder / "in.mkv"], check=True)
    subprocess.run([PROGRAMS / "weft", "--server", f"unix:{folder}/weft.sock", "submit", "bwdif", folder / "in.mkv", "-o",
                    folder / "out.mkv", "--encoder", "ffv1", "--wait"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=DEADLINE_S)


def run_a_stream(folder):
    frames = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-frames:v", str(FRAMES), "-f",
         "yuv4mpegpipe", "-"], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run([PROGRAMS / "weft", "--server", f"unix:{folder}/weft.sock", "pipe", "bwdif=rate=frame", "--class", "realtime",
                    "--deadline", "10000"], input=frames, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=DEADLINE_S)


def health_of(address):
    """Returns the status and the text of /healthz."""
    try:
        with urllib.request.urlopen(address.removesuffix("/metrics") + "/healthz", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def check_health(folder, address):
    def control(command):
        subprocess.run([PROGRAMS / "weft", "--server", f"unix:{folder}/weft.sock", command, "cpu"], check=True,
                       stderr=subprocess.DEVNULL)

    wait_for("the daemon is healthy", lambda: health_of(address) == (200, "ok\n"))
    control("drain")
    wait_for("a drained daemon is not healthy", lambda: health_of(address) == (
        503, "No device is in service; jobs wait.\n"))
    control("resume")
    wait_for("the daemon is healthy again", lambda: health_of(address) == (200, "ok\n"))


def start_prometheus(folder, target):
    port = free_port()
    (folder / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{SOURCE}/deploy/prometheus/weft.rules.yml"]
scrape_configs:
  - job_name: weft
    static_configs: [{{targets: ["{target}"]}}]
""")
    server = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{port}"],
        stderr=open(folder / "prometheus.log", "w"))
    base = f"http://127.0.0.1:{port}/api/v1"
    wait_for("prometheus answers", lambda: get(f"{base}/status/buildinfo"))
    return server, base


def query(base, expression):
    answer = json.loads(get(f"{base}/query?" + urllib.parse.urlencode({"query": expression})))
    return {tuple(sorted(row["metric"].items())): float(row["value"][1]) for row in answer["data"]["result"]}


def names_in(expressions):
    return {name for expression in expressions for name in re.findall(r"\bweft_[a-z_]+", expression)}


def check_what_prometheus_has(base):
    wait_for("prometheus has the job", lambda: query(base, 'weft_jobs{state="succeeded"} == 1'))
    units = query(base, 'weft_units_total{kind="video"}')
    assert list(units.values()) == [FRAMES], units
    for expression in ['weft_queue_jobs{class="normal"} == 0', 'weft_submit_seconds_count{result="accepted"} == 1',
                       'weft_job_wait_seconds_count{class="normal"} == 1', 'weft_device_in_service{device="cpu"} == 1',
                       'weft_job_attempts_total{device="cpu"} == 1', "weft_build_info == 1"]:
        wait_for(expression, lambda expression=expression: query(base, expression))
    wait_for("the latency of every picture is counted", lambda: list(query(
        base, 'weft_stream_latency_seconds_count{class="realtime"}').values()) == [FRAMES])
    groups = json.loads(get(f"{base}/rules"))["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert rules, "prometheus has read no rule"
    wait_for("every rule is evaluated without an error", lambda: all(
        rule["health"] == "ok" for group in json.loads(get(f"{base}/rules"))["data"]["groups"] for rule in group["rules"]))
    return rules


def check_dashboard(base, rules):
    dashboard = json.loads((SOURCE / "deploy/grafana/weft.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert asked, "the dashboard asks for nothing"
    stored = set(json.loads(get(f"{base}/label/__name__/values"))["data"])
    lines = (SOURCE / "docs/metrics.md").read_text().splitlines()
    # Metrics that no driver of this processor reports.
    of_drivers = names_in(line for line in lines if "if the driver reports it" in line)
    missing = names_in(asked + [rule["query"] for rule in rules]) - stored - of_drivers
    assert not missing, f"asked for and not there: {sorted(missing)}"
    documented = set(re.findall(r"`(weft_[a-z_]+)`", "\n".join(lines))) - of_drivers
    offered = {re.sub(r"_(bucket|sum|count)$", "", name) for name in stored if name.startswith("weft_")}
    assert documented == offered, f"docs/metrics.md and the daemon differ: {sorted(documented ^ offered)}"


def run_promtool(metrics):
    subprocess.run(["promtool", "check", "metrics"], input=metrics, text=True, check=True)
    subprocess.run(["promtool", "check", "rules", SOURCE / "deploy/prometheus/weft.rules.yml"], check=True)
    subprocess.run(["promtool", "test", "rules", "weft_rules_test.yml"], cwd=SOURCE / "tests/deploy", check=True)


def main():
    for program in ("prometheus", "promtool", "ffmpeg"):
        if shutil.which(program) is None:
            print(f"skipped: {program} is missing")
            sys.exit(77)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-prometheus-"))
    processes = []
    try:
        daemon, address = start_daemon(folder)
        processes.append(daemon)
        do_a_job(folder)
        run_a_stream(folder)
        run_promtool(get(address))
        check_health(folder, address)
        server, base = start_prometheus(folder, urllib.parse.urlparse(address).netloc)
        processes.append(server)
        check_dashboard(base, check_what_prometheus_has(base))
        daemon.terminate()
        assert daemon.wait(timeout=DEADLINE_S) == 0, (folder / "weftd.log").read_text()
        print("prometheus: scraped, rules and dashboard in order")
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(folder)


main()
