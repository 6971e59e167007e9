import { systemClock } from '@apiserver/apimachinery/clock';
import { newForbidden, newInternalError, newNotFound } from '@apiserver/apimachinery/errors';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import type { RestRequest, RestSender } from '@apiserver/rest-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AuthenticationConfigMap } from './authentication-config-map.js';

const first = makeTestCertificate({ commonName: 'first', authority: true }).certificate;
const second = makeTestCertificate({ commonName: 'second', authority: true }).certificate;
let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

type Data = Readonly<Record<string, string>>;

/** A core server with one ConfigMap, and its watchers. */
class CoreServer implements RestSender {
  readonly requests: string[] = [];
  #data: Data | undefined;
  #version = 1;
  #watchers: ((line: string) => void)[] = [];

  constructor(data: Data | undefined) {
    this.#data = data;
  }

  set(data: Data): void {
    const type = this.#data === undefined ? 'ADDED' : 'MODIFIED';
    this.#data = data;
    this.#version++;
    for (const watcher of this.#watchers) watcher(JSON.stringify({ type, object: this.#configMap() }));
  }

  async send({ path, query }: RestRequest) {
    this.requests.push(`${path}?${query ?? ''}`);
    const items = this.#data === undefined ? [] : [this.#configMap()];
    if (query !== undefined) return { code: 200, value: { items, metadata: { resourceVersion: `${this.#version}` } } };
    const [value] = items;
    if (value === undefined) throw newNotFound({ group: '', resource: 'configmaps' }, 'x');
    return { code: 200, value };
  }

  async open(_request: RestRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    this.#watchers.push((line) => void writer.write(Buffer.from(`${line}\n`)));
    signal.addEventListener('abort', () => void writer.close());
    return readable;
  }

  #configMap() {
    const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
    return { metadata: { ...metadata, resourceVersion: `${this.#version}` }, data: this.#data };
  }
}

function following(data: Data | undefined) {
  const core = new CoreServer(data);
  const { logger, lines } = createTestLogger(2);
  const configMap = new AuthenticationConfigMap({ client: core, clock: systemClock, random: () => 0, logger });
  const errors = () => lines.filter(({ level }) => level === 'error').length;
  return { core, configMap, errors, lines };
}

describe('AuthenticationConfigMap', () => {
  it('says nothing while it is missing, and tells when it is there', async () => {
    const { core, configMap } = following(undefined);
    await configMap.read();
    expect([configMap.clientCA.contents, configMap.lists.usernameHeaders]).toEqual([[''], []]);
    stack.use(configMap.follow());
    const changed = vi.fn();
    configMap.requestHeaderCA.onChange(changed);
    await expect.poll(() => core.requests.length).toBe(2);
    await new Promise(setImmediate);
    core.set({ 'requestheader-client-ca-file': first, 'requestheader-username-headers': '["X-Remote-User"]' });
    await expect.poll(() => configMap.lists.usernameHeaders).toEqual(['X-Remote-User']);
    expect([configMap.requestHeaderCA.contents, changed.mock.calls.length]).toEqual([[first], 1]);
    expect(core.requests[1]).toContain('fieldSelector=metadata.name%3Dextension-apiserver-authentication');
  });

  it('tells nobody of the same authorities', async () => {
    const data = { 'client-ca-file': first, 'requestheader-client-ca-file': first };
    const { core, configMap } = following(data);
    await configMap.read();
    stack.use(configMap.follow());
    const changed = vi.fn();
    configMap.requestHeaderCA.onChange(changed);
    await expect.poll(() => core.requests.length).toBe(2);
    await new Promise(setImmediate);
    core.set({ ...data, 'client-ca-file': second });
    await expect.poll(() => configMap.clientCA.contents).toEqual([second]);
    expect(changed).not.toHaveBeenCalled();
  });

  it('follows this ConfigMap alone', async () => {
    const { core, configMap } = following({ 'client-ca-file': first });
    const open = vi.spyOn(core, 'open');
    stack.use(configMap.follow());
    await expect.poll(() => open.mock.calls.length, { timeout: 30_000 }).toBe(1);
    const [request] = open.mock.calls[0] ?? [];
    expect([core.requests[0]?.split('?')[1], request?.query?.get('fieldSelector')]).toEqual([
      'fieldSelector=metadata.name%3Dextension-apiserver-authentication',
      'metadata.name=extension-apiserver-authentication',
    ]);
    expect([request?.query?.get('watch'), request?.query?.get('resourceVersion')]).toEqual(['true', '1']);
  });

  it('keeps the last authorities and lists that were of use', async () => {
    const { core, configMap, errors, lines } = following({
      'client-ca-file': first,
      'requestheader-allowed-names': '["a"]',
    });
    await configMap.read();
    stack.use(configMap.follow());
    await expect.poll(() => core.requests.length).toBe(2);
    await new Promise(setImmediate);
    core.set({ 'client-ca-file': 'no certificate', 'requestheader-allowed-names': '{"a":1}' });
    await expect.poll(() => errors()).toBeGreaterThanOrEqual(2);
    const message = 'Unable to read the request headers of the ConfigMap, the old ones stay';
    expect(lines.find((line) => line.message === message)?.fields).toEqual({
      namespace: 'kube-system',
      name: 'extension-apiserver-authentication',
    });
    expect([configMap.clientCA.contents, configMap.lists.allowedNames]).toEqual([[first], ['a']]);
    core.set({ 'client-ca-file': second });
    await expect.poll(() => configMap.clientCA.contents).toEqual([second]);
    expect(configMap.lists.allowedNames).toEqual([]);
  });

  it.each(['"X-Remote-Group"', '[1]', '["a", 1]', '{}', '1', 'true'])('refuses %s instead of a list', async (text) => {
    const { configMap } = following({ 'requestheader-group-headers': text });
    await expect(configMap.read()).rejects.toThrow('requestheader-group-headers must be a list of names');
  });

  it('reads every list, of which null and none are empty', async () => {
    const { configMap } = following({
      'requestheader-username-headers': '["U"]',
      'requestheader-uid-headers': '["I"]',
      'requestheader-group-headers': '["G", "H"]',
      'requestheader-extra-headers-prefix': 'null',
      'requestheader-allowed-names': '',
    });
    await configMap.read();
    expect(configMap.lists).toEqual({
      usernameHeaders: ['U'],
      uidHeaders: ['I'],
      groupHeaders: ['G', 'H'],
      extraHeaderPrefixes: [],
      allowedNames: [],
    });
  });

  it('names its sources as upstream does', async () => {
    const { configMap, lines } = following({ 'client-ca-file': 'x', 'requestheader-client-ca-file': 'y' });
    await configMap.read();
    const prefix = 'client-ca::kube-system::extension-apiserver-authentication';
    expect(lines.map(({ fields }) => fields['name'])).toEqual([
      `"${prefix}::client-ca-file"`,
      `"${prefix}::requestheader-client-ca-file"`,
    ]);
  });

  it('follows with a log of its own name', async () => {
    const core = new CoreServer(undefined);
    const { logger } = createTestLogger();
    const named = vi.spyOn(logger, 'named');
    const configMap = new AuthenticationConfigMap({ client: core, clock: systemClock, random: () => 0, logger });
    expect(named).not.toHaveBeenCalled();
    stack.use(configMap.follow());
    expect(named.mock.calls).toEqual([['informer']]);
  });

  it('logs new lists once', async () => {
    const { configMap, lines } = following({ 'requestheader-allowed-names': '["a"]' });
    await configMap.read();
    await configMap.read();
    const loaded = lines.filter(({ message }) => message.startsWith('Loaded a new request header'));
    expect(loaded.map(({ level }) => level)).toEqual(['info']);
  });

  it.each<[Error, number]>([
    [newForbidden({ group: '', resource: 'configmaps' }, 'x', 'no'), 1],
    [newInternalError(new Error('busy')), 0],
  ])('rejects with a failure of the read, and advises on a missing role: %s', async (failure, warnings) => {
    const { core, configMap, lines } = following(undefined);
    core.send = () => Promise.reject(failure);
    await expect(configMap.read()).rejects.toBe(failure);
    const advice =
      "Unable to get configmap/extension-apiserver-authentication in kube-system.  Usually fixed by 'kubectl create rolebinding -n kube-system ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'";
    expect(lines.map(({ level, message }) => [level, message])).toEqual(Array(warnings).fill(['warning', advice]));
  });
});
