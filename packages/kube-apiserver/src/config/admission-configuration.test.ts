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

/** Of a file without a kind, both plugins get everything. */
const legacy = (content: object) => ({ ImagePolicyWebhook: content, PodNodeSelector: content });

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
    [`${HEAD}plugins: [{name: A, path: plugins/limits.yaml, configuration: {a: 1}}]`, { A: { a: 1 } }],
    [`${HEAD}plugins: [{name: A, configuration: {a: 1}}, {name: A, configuration: {a: 2}}]`, { A: { a: 1 } }],
    ['imagePolicy: {}', legacy({ imagePolicy: {} })],
    ['podNodeSelectorPluginConfig: {a: b=c}', legacy({ podNodeSelectorPluginConfig: { a: 'b=c' } })],
    ['other: {}', "Object 'Kind' is missing in 'other: {}'"],
    ['null', "Object 'Kind' is missing in 'null'"],
    [
      'apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration',
      'no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/server/options/admission.go:51"',
    ],
    [
      '{"apiVersion":"example.com\\/v1","kind":"X"}',
      'no kind "X" is registered for version "example.com/v1" in scheme "pkg/server/options/admission.go:51"',
    ],
    [`${HEAD}more: 1`, 'strict decoding error: unknown field "more"'],
    [
      `${HEAD}plugins: {}`,
      'json: cannot unmarshal object into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration',
    ],
    [`${HEAD}plugins: [{name: A}, null]`, {}],
    [
      `${HEAD}plugins: [{name: 1}]`,
      'json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string',
    ],
    [`${HEAD}plugins: [{name: A, paths: x}]`, 'strict decoding error: unknown field "plugins[0].paths"'],
  ])('%j: %j', (text, outcome) => {
    expect(read(text)).toEqual(outcome);
  });

  it('takes absolute paths, and paths relative to the folder of a file that is named relatively', () => {
    const entry = (path: string) => `${HEAD}plugins: [{name: A, path: ${JSON.stringify(path)}}]`;
    const limits = { A: { limits: [1] } };
    expect(read(entry(join(folder, 'plugins/limits.yaml')))).toEqual(limits);
    const file = join(relative(process.cwd(), folder), 'admission.yaml');
    expect(read(entry('plugins/limits.yaml'), file)).toEqual(limits);
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
      message: expect.stringMatching(
        /^unable to read admission control configuration from ".*none.yaml" \[open .*none.yaml: no such file or directory\]$/,
      ),
      cause: { code: 'ENOENT' },
    });
    writeFileSync(join(folder, 'admission.yaml'), `${HEAD}plugins: [{name: A, path: none.yaml}]`);
    expect(failure(join(folder, 'admission.yaml'))).toMatchObject({
      message: expect.stringMatching(
        /^Couldn't open admission plugin configuration .*none.yaml: open .*: no such file/,
      ),
    });
  });
});
