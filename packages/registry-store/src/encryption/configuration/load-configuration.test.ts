import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../testing/temporary-directory.js';
import { contentHashOf, loadConfiguration } from './load-configuration.js';

let folder: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  folder = temporaryDirectory();
  file = join(folder.path, 'encryption.yaml');
});
afterEach(() => folder[Symbol.dispose]());

const HEAD = 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\n';
const SECRET = Buffer.alloc(32).toString('base64');
const key = (name = 'a', secret = SECRET) => `{name: "${name}", secret: "${secret}"}`;
const entry = (resources: string, ...providers: readonly string[]) =>
  `- resources: [${resources}]\n  providers: [${providers.join(', ')}]\n`;
const kms = (rest: string) => `{kms: {apiVersion: v2, name: p, endpoint: "unix:///s", ${rest}}}`;
const IDENTITY = '{identity: {}}';

async function load(text: string, reload = false) {
  writeFileSync(file, text);
  return await loadConfiguration(file, reload);
}

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: Error) => error.message.replaceAll(folder.path, ''),
  );

/** The errors of `resources`, after their first provider. */
const invalid = (entries: string, reload = false) => failure(load(`${HEAD}resources:\n${entries}`, reload));

describe('a configuration', () => {
  it('is decoded and defaulted', async () => {
    const text =
      HEAD +
      'resources:\n' +
      entry('secrets, configmaps', `{aesgcm: {keys: [${key()}]}}`, '{kms: {name: old, endpoint: "unix:///s"}}') +
      entry('"*.apps"', kms('timeout: 1500ms'), IDENTITY);
    const { configuration, contentHash } = await load(text);
    expect(configuration.resources).toEqual([
      {
        resources: ['secrets', 'configmaps'],
        providers: [
          { aesgcm: { keys: [{ name: 'a', secret: SECRET }] } },
          { kms: { apiVersion: 'v1', name: 'old', endpoint: 'unix:///s', cachesize: 1000, timeout: '3s' } },
        ],
      },
      {
        resources: ['*.apps'],
        providers: [{ kms: { apiVersion: 'v2', name: 'p', endpoint: 'unix:///s', timeout: '1.5s' } }, { identity: {} }],
      },
    ]);
    expect(contentHash).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
    expect(await contentHashOf(file)).toBe(contentHash);
  });

  it('may have secrets on several lines', async () => {
    const lines = `${SECRET.slice(0, 20)}\\r\\n${SECRET.slice(20)}\\n`;
    const text = `${HEAD}resources:\n${entry('secrets', `{aesgcm: {keys: [${key('a', lines)}]}}`)}`;
    expect((await load(text)).configuration.resources).toHaveLength(1);
  });

  it('may have its former name', async () => {
    const text = `kind: EncryptionConfig\napiVersion: v1\nresources:\n${entry('secrets', IDENTITY)}`;
    expect((await load(text)).configuration.resources).toHaveLength(1);
  });

  it('may be JSON', async () => {
    const resources = [{ resources: ['secrets'], providers: [{ identity: {} }] }];
    const document = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources };
    expect((await load(JSON.stringify(document))).configuration.resources).toEqual(resources);
  });
});

describe('an unusable file', () => {
  it.each<[string, string | RegExp]>([
    ['', 'error while loading file: encryption provider configuration file "/encryption.yaml" is empty'],
    ['a: b', /^error decoding .*: Object 'Kind' is missing in '\{"a":"REDACTED"\}'$/],
    [
      `apiVersion: apiserver.config.k8s.io/v1\nresources:\n- providers: [{aescbc: {keys: [${key()}]}}]`,
      /'\{"apiVersion":"apiserver\.config\.k8s\.io\/v1","resources":\[\{"providers":\[\{"aescbc":\{"keys":\[\{"name":"REDACTED","secret":"REDACTED"\}\]\}\}\]\}\]\}'$/,
    ],
    ['a: null', /: Object 'Kind' is missing in '\{"a":"REDACTED"\}'$/],
    ['# nothing', /: Object 'Kind' is missing in 'null'$/],
    [
      'kind: TracingConfiguration\napiVersion: apiserver.config.k8s.io/v1beta1',
      /: no kind "TracingConfiguration" is registered for version "apiserver.config.k8s.io\/v1beta1" in scheme "/,
    ],
    ['kind: X', /: Object 'apiVersion' is missing in '\{"kind":"X"\}'$/],
    [
      'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v2',
      /: no kind "EncryptionConfiguration" is registered for version "apiserver.config.k8s.io\/v2" in scheme "/,
    ],
    // Messages of k8s.io/apiserver v0.36.6.
    ...(
      [
        ['a: [', 'yaml: line 1: did not find expected node content'],
        ['a: *b', "yaml: unknown anchor 'b' referenced"],
        ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
        [
          '{"kind":"X","apiVersion":"v1",}',
          "couldn't get version/kind; json parse error: invalid character '}' looking for beginning of object key string",
        ],
        ['{"a":1} x', "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"],
        ['null', "Object 'Kind' is missing in 'null'"],
        [
          '- a',
          "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type " +
            'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
        ],
        [
          'kind: 5\napiVersion: 6',
          "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
        ],
        ['kind: X\napiVersion: a/b/c', 'unexpected GroupVersion string: a/b/c'],
        [
          'Kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1',
          'strict decoding error: unknown field "Kind"',
        ],
        [
          '{"kind":"EncryptionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","resources":[],"resources":[]}',
          'strict decoding error: duplicate field "resources"',
        ],
      ] as const
    ).map(
      ([text, reason]) =>
        [text, `error decoding encryption provider configuration file "/encryption.yaml": ${reason}`] satisfies [
          string,
          string,
        ],
    ),
    [
      'kind: TracingConfiguration\napiVersion: apiserver.config.k8s.io/v1',
      'got unexpected config type: apiserver.config.k8s.io/v1, Kind=TracingConfiguration',
    ],
    [
      `${HEAD}resources: []\nother: 1`,
      'error decoding encryption provider configuration file "/encryption.yaml": strict decoding error: unknown field "other"',
    ],
    [
      `${HEAD}${'resources:\n'}- providers: [{aescbc: {keys: [{name: a, secrets: b}]}}]`,
      /: strict decoding error: unknown field "resources\[0\]\.providers\[0\]\.aescbc\.keys\[0\]\.secrets"$/,
    ],
    [
      `${HEAD}resources: []\nresources: []`,
      /: strict decoding error: yaml: unmarshal errors:\n {2}line 4: key "resources" already set in map$/,
    ],
    [
      `${HEAD}resources: text`,
      /json: cannot unmarshal string into Go struct field EncryptionConfiguration.resources of type \[\]v1.ResourceConfiguration/,
    ],
    [`${HEAD}resources:\n${entry('a', kms('timeout: soon'))}`, /time: invalid duration "soon"/],
  ])('%#', async (text, reason) => {
    const reported = await failure(load(text));
    if (typeof reason === 'string') expect(reported).toBe(reason);
    else expect(reported).toMatch(reason);
  });

  it('may be missing', async () => {
    expect(await failure(loadConfiguration(file, false))).toBe(
      'error while loading file: error reading encryption provider configuration file "/encryption.yaml": ' +
        'open /encryption.yaml: no such file or directory',
    );
  });
});

describe('validation', () => {
  const at = 'resources[0].providers[0]';
  it.each<[string, string]>([
    ['  []', 'resources: Required value: at least one resources is required'],
    [entry('', IDENTITY), 'resources[0].resources: Required value: at least one resources[0].resources is required'],
    [
      '- resources: [secrets]\n',
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ],
    [entry('secrets'), 'resources[0].providers: Required value: at least one resources[0].providers is required'],
    [
      entry('secrets', '{}'),
      `${at}: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not ` +
        'contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    ],
    [
      entry('secrets', `{identity: {}, aescbc: {keys: [${key()}]}}`),
      `${at}: Invalid value: {"AESGCM":null,"AESCBC":{"Keys":[{"Name":"a","Secret":"REDACTED"}]},"Secretbox":null,` +
        '"Identity":{},"KMS":null}: more than one provider specified in a single element, should split into different list elements',
    ],
    [
      entry('secrets', '{identity: {}, aescbc: {}}'),
      `[${at}: Invalid value: {"AESGCM":null,"AESCBC":{"Keys":null},"Secretbox":null,"Identity":{},"KMS":null}: ` +
        'more than one provider specified in a single element, should split into different list elements, ' +
        `${at}.aescbc.keys: Required value: at least one keys is required]`,
    ],
    [entry('secrets', '{aescbc: {keys: []}}'), `${at}.aescbc.keys: Required value: at least one keys is required`],
    [entry('secrets', '{aescbc: {}}'), `${at}.aescbc.keys: Required value: at least one keys is required`],
    [
      entry('secrets', `{aesgcm: {keys: [${key('')}]}}`),
      `${at}.aesgcm.keys[0].name: Required value: name is a mandatory field for a key`,
    ],
    [
      entry('secrets', `{aesgcm: {keys: [${key('a', '')}]}}`),
      `${at}.aesgcm.keys[0].secret: Required value: secret is a mandatory field for a key`,
    ],
    [
      entry('secrets', `{secretbox: {keys: [${key()}, ${key('b', 'x')}]}}`),
      `${at}.secretbox.keys[1].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      entry('secrets', `{aescbc: {keys: [${key('a', 'cGFzc3dvcmQK')}]}}`),
      `${at}.aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 9, expected one of [16 24 32]`,
    ],
    [
      entry('secrets', `{secretbox: {keys: [${key('a', Buffer.alloc(16).toString('base64'))}]}}`),
      `${at}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]`,
    ],
    [
      entry('secrets', '{kms: {}}'),
      `[${at}.kms.name: Required value: name is a mandatory field for a provider, ` +
        `${at}.kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms]`,
    ],
    [
      entry('secrets', '{kms: {apiVersion: v3, name: "a:b", endpoint: "tcp://x", timeout: 0s, cachesize: 5}}'),
      `[${at}.kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', ` +
        `${at}.kms.timeout: Invalid value: "0s": timeout should be a positive value, ` +
        `${at}.kms.endpoint: Invalid value: "tcp://x": unsupported scheme "tcp" for KMS provider, only unix is supported, ` +
        `${at}.kms.cachesize: Invalid value: 5: cachesize is not supported in v2, ` +
        `${at}.kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported]`,
    ],
    [
      entry('secrets', '{kms: {name: a, endpoint: ":/x", cachesize: 0}}'),
      `[${at}.kms.endpoint: Invalid value: ":/x": invalid endpoint for kms provider, error: parse ":/x": missing protocol scheme, ` +
        `${at}.kms.cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable]`,
    ],
    ...(
      [
        ['http://a b', 'invalid character " " in host name'],
        ['http://[::1', "missing ']' in host"],
        ['%zz', 'invalid URL escape "%zz"'],
        ['unix://%zz', 'invalid URL escape "%zz"'],
        ['1:a', 'first path segment in URL cannot contain colon'],
      ] as const
    ).map(
      ([endpoint, why]) =>
        [
          entry('secrets', `{kms: {name: a, endpoint: ${JSON.stringify(endpoint)}}}`),
          `${at}.kms.endpoint: Invalid value: "${endpoint}": invalid endpoint for kms provider, error: parse "${endpoint}": ${why}`,
        ] satisfies [string, string],
    ),
    [
      entry('secrets', '{identity: {}, kms: {name: a, endpoint: "unix:///s", apiVersion: v2, timeout: 90s}}'),
      `${at}: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":{},"KMS":{"APIVersion":"v2","Name":"a",` +
        '"CacheSize":null,"Endpoint":"unix:///s","Timeout":"1m30s"}}: more than one provider specified in a single element, ' +
        'should split into different list elements',
    ],
    [
      entry('secrets', kms(''), kms('')),
      'resources[0].providers[1].kms.name: Invalid value: "p": duplicate KMS provider name p, names must be unique',
    ],
  ])('of providers %#', async (entries, message) => {
    expect(await invalid(entries)).toBe(message);
  });

  const overlap =
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
  it.each([
    [
      'Secrets',
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      '"*"',
      `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
    [
      'apiserveripinfo',
      'resources[0].resources[0]: Invalid value: "apiserveripinfo": resources which do not have REST API/s cannot be encrypted',
    ],
    [
      'events.events.k8s.io',
      `resources[0].resources[0]: Invalid value: "events.events.k8s.io": '*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`,
    ],
    [
      'ingresses.extensions',
      `resources[0].resources[0]: Invalid value: "ingresses.extensions": 'extensions' group has been removed and cannot be used for encryption`,
    ],
    [
      '"secrets.*"',
      'resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported',
    ],
    ['a, a', 'resources[0].resources: Invalid value: ["a","a"]: the same resource cannot be specified multiple times'],
    ['secrets, "*."', `resources[0].resources: Invalid value: ["secrets","*."]: ${overlap}`],
    ['deployments.apps, "*.apps"', `resources[0].resources: Invalid value: ["deployments.apps","*.apps"]: ${overlap}`],
    ['a, "*.*"', `resources[0].resources: Invalid value: ["a","*.*"]: ${overlap}`],
    [
      '"*.*", "*.*"',
      '[resources[0].resources: Invalid value: ["*.*","*.*"]: the same resource cannot be specified multiple times, ' +
        `resources[0].resources: Invalid value: ["*.*","*.*"]: ${overlap}]`,
    ],
    ['secrets, "*.apps"', 'none'],
  ])('of resources %s', async (resources, message) => {
    expect(await invalid(entry(resources, IDENTITY))).toBe(message);
  });

  it('is stricter about version 1 plugins when the file may be reloaded', async () => {
    const v1 = '{kms: {apiVersion: v1, name: "a:b", endpoint: "unix:///s"}}';
    expect(await invalid(entry('a', v1, v1))).toBe('none');
    expect(await invalid(entry('a', v1, v1), true)).toBe(
      'resources[0].providers[1].kms.name: Invalid value: "a:b": duplicate KMS provider name a:b, names must be unique',
    );
  });
});
