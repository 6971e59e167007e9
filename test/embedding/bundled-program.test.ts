import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

/** Packages that docs/embedding.md leaves out of a bundle. */
const EXTERNAL = ['lmdb', 'etcd3', '@grpc/grpc-js', '@opentelemetry/*'];

const optionsOf = (program: string): BuildOptions => ({
  stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: EXTERNAL,
  logLevel: 'silent',
});

/** The output of a program that is bundled, in a folder with the named packages of this repository only. */
async function runBundled(program: string, packages: readonly string[] = []): Promise<string> {
  using folder = temporaryDirectory('bundled-program');
  const scope = join(folder.path, 'node_modules/@apiserver');
  mkdirSync(scope, { recursive: true });
  for (const name of packages) symlinkSync(join(repositoryRoot, 'packages', name), join(scope, name));
  await build({ ...optionsOf(program), outfile: join(folder.path, 'program.cjs') });
  return execFileSync(process.execPath, ['program.cjs'], { cwd: folder.path, encoding: 'utf8', stdio: 'pipe' }).trim();
}

const FULL_SERVER = `
  import { startKubeApiserver } from '@apiserver/kube-apiserver';
  import { AdminClient } from '../harness/admin-client.ts';

  async function main() {
    await using server = await startKubeApiserver({ dataDirectory: 'data', storageBackend: 'memory' });
    using client = new AdminClient(server.kubeconfigPath);
    const map = 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: { name: made }\\n' + '# text\\n'.repeat(20_000);
    const maps = '/api/v1/namespaces/default/configmaps';
    const made = await client.request('POST', maps, map, { 'content-type': 'application/yaml' });
    const { paths } = JSON.parse((await client.request('GET', '/openapi/v3/api/v1')).body);
    const { gitVersion } = JSON.parse((await client.request('GET', '/version')).body);
    console.log(made.status, '/api/v1/pods' in paths, gitVersion);
  }
  void main();
`;

describe('a program that a bundler has made', () => {
  it('runs a full server', async () => {
    expect(await runBundled(FULL_SERVER)).toBe('201 true v1.36.0+apiserver.0.0.0');
  });

  it.each([
    { what: 'finds', packages: ['api'], found: 'true' },
    { what: 'starts without', packages: [], found: 'false' },
  ])('$what the descriptions of the package beside it', async ({ packages, found }) => {
    const program = `
      import { groupVersions, loadDescriptions } from '@apiserver/api';
      void loadDescriptions(groupVersions).then((describe) => console.log(describe('io.k8s.api.core.v1.Pod') !== undefined));
    `;
    expect(await runBundled(program, packages)).toBe(found);
  });

  it('names the Node that it needs on an older one', async () => {
    const { outputFiles } = await build({ ...optionsOf(FULL_SERVER), write: false });
    expect(outputFiles[0]?.text).toContain('@apiserver/kube-apiserver needs Node 24 or later');
  });

  it('is told that a control plane has to stay outside', async () => {
    const program = `import { startControlPlane } from '@apiserver/envtest'; void startControlPlane();`;
    await expect(runBundled(program)).rejects.toThrow(
      '@apiserver/envtest cannot be part of a bundle: mark it as external in the options of the bundler',
    );
  });
});
