import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifests } from './manifest.js';
import { readManifests } from './read-manifests.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifests-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const yaml = (name: string, kind = 'ConfigMap') => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const namesOf = (manifests: Manifests) =>
  readManifests(manifests, { option: 'objects' }).map(({ object: { metadata } }) => metadata.name);

describe('readManifests', () => {
  it('reads a folder with everything below it, in the order of names, without files of kustomize', () => {
    write({
      'b.yaml': `${yaml('b1')}---  # the second\n${yaml('b2')}---\n`,
      'a/x.yml': yaml('x'),
      'c.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [object('c1'), object('c2')] }),
      'kustomization.yaml': 'resources: []\n',
      'README.md': 'no manifest',
    });
    expect(namesOf(folder)).toEqual(['x', 'b1', 'b2', 'c1', 'c2']);
  });

  it.each<[string, () => Manifests, string[]]>([
    ['a file', () => join(folder, 'a.yaml'), ['a']],
    ['a file by URL', () => pathToFileURL(join(folder, 'a.yaml')), ['a']],
    ['a glob, without files of kustomize', () => join(folder, '{b,*}.yaml'), ['a', 'b']],
    ['YAML', () => `${yaml('p')}---\n${yaml('q')}`, ['p', 'q']],
    ['JSON', () => JSON.stringify(object('j')), ['j']],
    ['an object', () => object('o'), ['o']],
    ['a list of these', () => [object('o'), [yaml('p')], join(folder, 'b.yaml')], ['o', 'p', 'b']],
    ['nothing in a list', () => [], []],
  ])('reads %s', (_, manifests, names) => {
    write({ 'a.yaml': yaml('a'), 'b.yaml': yaml('b'), 'kustomization.yaml': 'resources: []\n' });
    expect(namesOf(manifests())).toEqual(names);
  });

  it('takes an object as its JSON of now', () => {
    const given = { ...object('o'), at: new Date(0), data: { a: 'b' } };
    const [read] = readManifests(given, { option: 'objects' });
    given.data.a = 'changed';
    expect(read?.object).toEqual({ ...object('o'), at: '1970-01-01T00:00:00.000Z', data: { a: 'b' } });
  });

  it('takes from files the wanted kinds alone', () => {
    write({ 'a.yaml': `${yaml('a')}---\n${yaml('s', 'Secret')}` });
    const accepts = ({ object: { kind } }: { object: { kind: string } }) => kind === 'Secret';
    expect(readManifests(folder, { option: 'secrets', accepts }).map(({ origin }) => origin)).toEqual([
      join(folder, 'a.yaml'),
    ]);
    expect(() => readManifests([object('a')], { option: 'secrets', accepts })).toThrow(
      'secrets[0]: a ConfigMap does not belong here',
    );
  });

  it.each<[string, Manifests, string]>([
    [
      'a missing path',
      'config/nothing',
      `objects: ENOENT: no such file or directory, stat '${resolve('config/nothing')}'`,
    ],
    ['broken YAML', 'a: b\n c: d\n', 'objects: '],
    ['half an object', { kind: 'ConfigMap' }, 'objects: an object needs apiVersion, kind and metadata'],
    [
      'half an object of a list',
      { apiVersion: 'v1', kind: 'List', items: [object('a'), {}] },
      'objects items[1]: an object needs apiVersion, kind and metadata',
    ],
  ])('refuses %s', (_, manifests, message) => {
    expect(() => readManifests(manifests, { option: 'objects' })).toThrow(
      expect.objectContaining({ name: 'ControlPlaneError', message: expect.stringContaining(message) }),
    );
  });

  it('refuses a folder without a wanted object', () => {
    write({ 'a.txt': yaml('a') });
    expect(() => namesOf(folder)).toThrow(`objects: ${folder} has no object`);
    const secrets = { option: 'secrets', accepts: () => false, noun: 'Secret' };
    expect(() => readManifests(folder, secrets)).toThrow(`secrets: ${folder} has no Secret`);
  });
});
