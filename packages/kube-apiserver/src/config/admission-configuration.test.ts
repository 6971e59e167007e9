import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAdmissionConfiguration } from './admission-configuration.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'admission-configuration-'));
  mkdirSync(join(folder, 'plugins'));
  writeFileSync(join(folder, 'plugins/limits.yaml'), 'limits: [1]');
});
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

/** Reads a file with this text; returns the configurations, or the message without the folder. */
function read(text: string, path = join(folder, 'admission.yaml')): unknown {
  writeFileSync(join(folder, 'admission.yaml'), text);
  try {
    return Object.fromEntries(readAdmissionConfiguration(path));
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(folder, '') : error;
  }
}

describe('readAdmissionConfiguration', () => {
  it('has none without a file', () => {
    expect([...readAdmissionConfiguration('')]).toEqual([]);
  });

  it.each<[string, unknown]>([
    [HEAD, {}],
    ['apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration', {}],
    [`${HEAD}plugins: [{name: A, configuration: {a: 1}}, {name: B}, {name: C, configuration: null}]`, { A: { a: 1 } }],
    [`${HEAD}plugins: [{name: A, path: plugins/limits.yaml}]`, { A: { limits: [1] } }],
    [`${HEAD}plugins: [{name: A, path: plugins/limits.yaml, configuration: {a: 1}}]`, { A: { limits: [1] } }],
    ['[]', 'AdmissionConfiguration must be an object'],
    ['null', 'AdmissionConfiguration must be an object'],
    ['text', 'AdmissionConfiguration must be an object'],
    [
      'apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration',
      'expected kind AdmissionConfiguration of apiserver.config.k8s.io/v1 or apiserver.k8s.io/v1alpha1, got AdmissionConfiguration of apiserver.config.k8s.io/v2',
    ],
    [
      'apiVersion: apiserver.config.k8s.io/v1\nkind: Pod',
      'expected kind AdmissionConfiguration of apiserver.config.k8s.io/v1 or apiserver.k8s.io/v1alpha1, got Pod of apiserver.config.k8s.io/v1',
    ],
    [
      'apiVersion: 1\nkind: AdmissionConfiguration',
      'expected kind AdmissionConfiguration of apiserver.config.k8s.io/v1 or apiserver.k8s.io/v1alpha1, got AdmissionConfiguration of 1',
    ],
    [`${HEAD}more: 1`, 'strict decoding error: unknown field "more"'],
    [`${HEAD}plugins: {}`, 'plugins must be a list'],
    [`${HEAD}plugins: [{name: A}, []]`, 'plugins[1] must be an object'],
    [`${HEAD}plugins: [{name: A}, null]`, 'plugins[1] must be an object'],
    [`${HEAD}plugins: [{name: 1}]`, 'plugins[0]: name and path must be texts'],
    [`${HEAD}plugins: [{name: A, path: [x]}]`, 'plugins[0]: name and path must be texts'],
    [`${HEAD}plugins: [{name: A, paths: x}]`, 'strict decoding error: unknown field "plugins[0].paths"'],
  ])('%j: %j', (text, outcome) => {
    expect(read(text)).toEqual(outcome);
  });

  it('takes absolute paths, and paths that begin with the folder of the file', () => {
    const entry = (path: string) => `${HEAD}plugins: [{name: A, path: ${JSON.stringify(path)}}]`;
    const limits = { A: { limits: [1] } };
    expect(read(entry(join(folder, 'plugins/limits.yaml')))).toEqual(limits);
    const relativeFolder = relative(process.cwd(), folder);
    const within = read(entry(join(relativeFolder, 'plugins/limits.yaml')), join(relativeFolder, 'admission.yaml'));
    expect(within).toEqual(limits);
  });

  it('names the file that it cannot read, and gives the cause', () => {
    const failure = (path: string) => {
      try {
        return readAdmissionConfiguration(path);
      } catch (error) {
        return error;
      }
    };
    expect(failure(join(folder, 'none.yaml'))).toMatchObject({
      message: expect.stringMatching(/^unable to read admission control configuration from ".*none.yaml" \[ENOENT/),
      cause: { code: 'ENOENT' },
    });
    writeFileSync(join(folder, 'admission.yaml'), '{');
    expect(failure(join(folder, 'admission.yaml'))).toMatchObject({
      message: expect.stringContaining('admission.yaml" ['),
    });
  });
});
