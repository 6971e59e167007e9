import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';
import { PublishedPackages } from './published-packages.ts';

/** The examples install their runner from the registry of npm. */
const unreachable = spawnSync('npm', ['ping', '--fetch-retries=0'], { timeout: 30_000 }).status !== 0;

const event = `{
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
  type: 'Warning',
  reason: 'BackOff',
  message: 'it does not start',
}`;

/** For each runner a file with a test that fails after an event. */
const failing = {
  vitest: [
    'failing.test.ts',
    `import { planeTest } from '@apiserver/envtest/vitest';
    planeTest()('fails', async ({ plane }) => {
      await plane.install(${event});
      throw new Error('it fails');
    });`,
  ],
  jest: [
    'failing.test.js',
    `const plane = useControlPlane();
    test('fails', async () => {
      await plane().install(${event});
      throw new Error('it fails');
    });`,
  ],
  'node-test': [
    'failing.test.ts',
    `import { test } from 'node:test';
    import { useControlPlane } from '@apiserver/envtest/node-test';
    const plane = useControlPlane();
    test('fails', async () => {
      await plane().install(${event});
      throw new Error('it fails');
    });`,
  ],
} as const;

describe.skipIf(unreachable)(`examples${unreachable ? ' (skipped: npm reaches no registry)' : ''}`, () => {
  let published: PublishedPackages;

  beforeAll(async () => {
    // Packs all packages and publishes them to a registry on this machine.
    published = await PublishedPackages.publish('@apiserver/envtest');
  }, 600_000);
  afterAll(() => published?.[Symbol.asyncDispose]());

  /** Installs an example in an empty folder. */
  async function install(name: string) {
    const { path, temporary } = published.makeFolder(name);
    cpSync(join(repositoryRoot, 'examples/envtest', name), path, { recursive: true });
    await published.npm(path, ['install', '--no-audit', '--no-fund', '--prefer-offline']);
    return {
      path,
      run: () => published.npm(path, ['test'], { TMPDIR: temporary }),
      leftovers: () => readdirSync(temporary).filter((file) => file.startsWith('envtest-')),
    };
  }

  it.each(['operator', 'vitest', 'jest', 'node-test'])(
    '%s passes in an empty folder, and leaves nothing behind',
    {
      timeout: 300_000,
    },
    async (name) => {
      const { run, leftovers } = await install(name);
      expect(await run()).toMatch(/pass/i);
      expect(leftovers()).toEqual([]);
    },
  );

  it.each(['vitest', 'jest', 'node-test'] as const)(
    'a failing test of %s shows what happened on its plane',
    {
      timeout: 300_000,
    },
    async (name) => {
      const { path, run, leftovers } = await install(name);
      const [file, text] = failing[name];
      rmSync(join(path, file.replace('failing', 'widgets')));
      writeFileSync(join(path, file), text);
      await expect(run()).rejects.toMatchObject({
        message: expect.stringMatching(/last events:\s.*Warning BackOff Pod\/default\/web: it does not start/),
      });
      expect(leftovers()).toEqual([]);
    },
  );
});
