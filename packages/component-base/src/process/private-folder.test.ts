import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { makePrivateDirectory } from './private-file.js';
import { warnOfStrangers } from './warn-of-strangers.js';

const root = mkdtempSync(join(tmpdir(), 'private-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const isPosix = process.platform !== 'win32';

describe('a private folder', () => {
  it('is made with its parents, for its owner alone', () => {
    const path = join(root, 'a/b/c');
    makePrivateDirectory(path);
    makePrivateDirectory(path);
    const modes = ['a', 'a/b', 'a/b/c'].map((part) => statSync(join(root, part)).mode & 0o777);
    if (isPosix) expect(modes).toEqual([0o700, 0o700, 0o700]);
  });

  it('is not made in the place of a file, nor below one', () => {
    writeFileSync(join(root, 'file'), '');
    for (const path of ['file', 'file/below']) {
      expect(() => makePrivateDirectory(join(root, path))).toThrow(`cannot make the folder ${join(root, path)}`);
    }
  });

  it.skipIf(process.platform !== 'linux')('is not tried for ever below /proc (other systems have none)', () => {
    expect(() => makePrivateDirectory('/proc/kube-apiserver/data')).toThrow('cannot make the folder');
  });
});

describe.skipIf(!isPosix)('a data folder (Windows has no such modes)', () => {
  it.each([
    [0o700, 0],
    [0o755, 0],
    [0o770, 1],
    [0o777, 1],
    [0o1777, 1],
    [0o2775, 1],
  ])('of mode %o has %i warnings', (mode, count) => {
    const path = join(root, `mode-${mode}`);
    mkdirSync(path);
    chmodSync(path, mode);
    const { logger, lines } = createTestLogger();
    warnOfStrangers(path, logger);
    const octal = mode.toString(8).padStart(4, '0');
    const details = { directory: path, mode: octal };
    expect(lines.map(({ fields }) => fields)).toEqual(Array.from({ length: count }, () => details));
  });
});
