// Writes assets/: executables with the names that test suites look for (controller-runtime's envtest by
// KUBEBUILDER_ASSETS). The shell scripts become the pinned Node by `exec`, so that whoever started them signals the
// server itself; those for cmd.exe lie beside them. Suites expect a kubectl in the folder, too.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { commandScript, kubectlCommandScript, kubectlShellScript, shellScript } from './launchers.mjs';

/** @type {Record<string, [entry: string, flagVariable?: string]>} */
const launchers = {
  // Public suites and their Makefiles pass no flags of ours.
  'kube-apiserver': ['packages/kube-apiserver/bin/kube-apiserver.js', 'KUBE_APISERVER_FLAGS'],
  etcd: ['packages/etcd-launcher/bin/etcd.js'],
};

const folder = `${root}assets`;
mkdirSync(folder, { recursive: true });
for (const [name, [entry, flagVariable]] of Object.entries(launchers)) {
  write(name, shellScript(entry, root, flagVariable));
  write(`${name}.cmd`, commandScript(entry, root, flagVariable));
}

write('kubectl', kubectlShellScript);
write('kubectl.cmd', kubectlCommandScript);

/**
 * Renamed into place: a test suite may be starting the one that is there.
 *
 * @param {string} name
 * @param {string} text
 */
function write(name, text) {
  const temporary = `${folder}/.${name}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o755 });
  renameSync(temporary, `${folder}/${name}`);
}
