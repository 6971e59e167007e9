import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { JavaProject } from './java-project.ts';

const project = new JavaProject('kube-api-test');
const missing = process.platform === 'win32' ? 'no .exe files are made' : (kubectlMissing() ?? project.missing());

it.skipIf(missing !== undefined)(
  `fabric8’s kube-api-test (Java) starts and stops the executables of assets/${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 120_000 },
  async () => {
    using folder = temporaryDirectory('kube-api-test');
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const binaries = join(folder.path, 'k8s');
    mkdirSync(binaries);
    symlinkSync(join(repositoryRoot, 'assets'), join(binaries, `1.36.0-${process.platform}-${architecture}`));
    const namespaces = (name: string) => ['default', 'kube-node-lease', 'kube-public', 'kube-system', name].sort();
    expect(await project.run('StartServers.java', folder.path)).toEqual([
      ...namespaces('first'),
      ...namespaces('second'),
    ]);
    // The certificates of the library, and nothing of the server.
    expect(readdirSync(folder.path)).toEqual(['apiserver.crt', 'apiserver.key', 'client.crt', 'client.key', 'k8s']);
  },
);
