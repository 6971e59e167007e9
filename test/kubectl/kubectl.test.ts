import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

/** `kubectl get` as a list of rows of words, the age left out: it depends on the clock. */
const rows = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}|\t/));

const manifest = (name: string, data: string) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
  key: ${data}
`;

describe.skipIf(missing !== undefined)(`real kubectl${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer();
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  describe('discovery', () => {
    it('api-resources names the kinds with short names and verbs', async () => {
      const resources = rows(await kubectl.ok(['api-resources', '-o', 'wide', '--no-headers']));
      const verbs = 'create,delete,deletecollection,get,list,patch,update,watch';
      expect(resources.find(([name]) => name === 'configmaps')).toEqual([
        'configmaps',
        'cm',
        'v1',
        'true',
        'ConfigMap',
        verbs,
      ]);
      expect(resources.find(([name]) => name === 'namespaces')).toEqual([
        'namespaces',
        'ns',
        'v1',
        'false',
        'Namespace',
        'create,delete,get,list,patch,update,watch',
      ]);
    });

    it('api-versions', async () => {
      expect((await kubectl.ok(['api-versions'])).split('\n')).toContain('v1');
    });

    it('version knows the server as 1.36', async () => {
      expect(await kubectl.ok(['version'])).toMatch(/^Server Version: v1\.36\.\d+/m);
    });

    it.each([
      ['configmap', /^KIND: {7}ConfigMap\nVERSION: {4}v1\n/, /DESCRIPTION:\n {4}\S.{20,}/],
      ['configmap.data', /FIELD: data <map\[string\]string>/, /DESCRIPTION:\n {4}\S.{20,}/],
      ['namespace.spec.finalizers', /FIELD: finalizers <\[\]string>/, /DESCRIPTION:\n {4}\S.{20,}/],
      ['configmap.metadata.labels', /FIELD: labels <map\[string\]string>/, /DESCRIPTION:\n {4}\S.{20,}/],
    ])('explain %s, with a description', async (path, head, description) => {
      const text = await kubectl.ok(['explain', path]);
      expect(text).toMatch(head);
      expect(text).toMatch(description);
    });

    it('explain refuses an unknown field', async () => {
      expect((await kubectl.run(['explain', 'configmap.nothing'])).stderr).toBe(
        'error: field "nothing" does not exist\n',
      );
    });
  });

  describe('namespaces', () => {
    it('lists those of the system', async () => {
      const table = rows(await kubectl.ok(['get', 'namespaces', '--no-headers']));
      expect(table.map(([name, status]) => [name, status])).toEqual(
        expect.arrayContaining(
          ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => [name, 'Active']),
        ),
      );
    });

    it('creates one and refuses it twice', async () => {
      expect(await kubectl.ok(['create', 'namespace', 'twice'])).toBe('namespace/twice created\n');
      expect(await kubectl.run(['create', 'namespace', 'twice'])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'Error from server (AlreadyExists): namespaces "twice" already exists\n',
      });
    });

    it('refuses objects in a missing one', async () => {
      const { code, stderr } = await kubectl.run(['create', 'configmap', 'x', '-n', 'nowhere']);
      expect([code, stderr]).toEqual([1, 'error: failed to create configmap: namespaces "nowhere" not found\n']);
    });

    it('marks one as terminating and then refuses new objects', async () => {
      await kubectl.ok(['create', 'namespace', 'going']);
      await kubectl.ok(['delete', 'namespace', 'going', '--wait=false']);
      expect(await kubectl.ok(['get', 'namespace', 'going', '-o', 'jsonpath={.status.phase}'])).toBe('Terminating');
      expect((await kubectl.run(['create', 'configmap', 'x', '-n', 'going'])).stderr).toBe(
        'error: failed to create configmap: configmaps "x" is forbidden: unable to create new content in namespace going because it is being terminated\n',
      );
    });
  });

  describe('config maps', () => {
    it('creates from literals and shows them in every form', async () => {
      expect(await kubectl.ok(['create', 'configmap', 'forms', '--from-literal=a=1', '--from-literal=b=<&>'])).toBe(
        'configmap/forms created\n',
      );
      const [header, row] = rows(await kubectl.ok(['get', 'configmap', 'forms']));
      expect([header, row?.slice(0, 2)]).toEqual([
        ['NAME', 'DATA', 'AGE'],
        ['forms', '2'],
      ]);
      expect(rows(await kubectl.ok(['get', 'cm', 'forms', '-o', 'wide']))[0]).toEqual(['NAME', 'DATA', 'AGE']);
      expect(await kubectl.ok(['get', 'cm', 'forms', '-o', 'yaml'])).toMatch(
        /^apiVersion: v1\ndata:\n {2}a: "1"\n {2}b: <&>\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "[^"]+Z"\n/,
      );
      const json = JSON.parse(await kubectl.ok(['get', 'cm', 'forms', '-o', 'json']));
      expect([json.data, json.metadata.namespace]).toEqual([{ a: '1', b: '<&>' }, 'default']);
      expect(await kubectl.ok(['get', 'cm', 'forms', '-o', 'jsonpath={.data.b}'])).toBe('<&>');
      expect(await kubectl.ok(['get', 'cm', 'forms', '-o', 'name'])).toBe('configmap/forms\n');
      expect(
        await kubectl.ok(['get', 'cm', 'forms', '-o', 'custom-columns=N:.metadata.name,A:.data.a', '--no-headers']),
      ).toMatch(/^forms\s+1\n$/);
    });

    it('applies twice: the second time nothing changes', async () => {
      const apply = (data: string) => kubectl.ok(['apply', '-f', '-'], manifest('applied', data));
      expect([await apply('one'), await apply('one'), await apply('two'), await apply('two')]).toEqual([
        'configmap/applied created\n',
        'configmap/applied unchanged\n',
        'configmap/applied configured\n',
        'configmap/applied unchanged\n',
      ]);
      expect(await kubectl.ok(['get', 'cm', 'applied', '-o', 'jsonpath={.data.key}'])).toBe('two');
    });

    it('apply --dry-run=server and diff change nothing', async () => {
      expect(await kubectl.ok(['apply', '--dry-run=server', '-f', '-'], manifest('dry', 'one'))).toBe(
        'configmap/dry created (server dry run)\n',
      );
      expect((await kubectl.run(['get', 'cm', 'dry'])).stderr).toBe(
        'Error from server (NotFound): configmaps "dry" not found\n',
      );
    });

    it.each([
      ['strategic', '{"data":{"key":"strategic"}}', '{"key":"strategic","other":"kept"}'],
      ['merge', '{"data":{"key":null,"new":"merge"}}', '{"new":"merge","other":"kept"}'],
      [
        'json',
        '[{"op":"replace","path":"/data/key","value":"json"},{"op":"remove","path":"/data/other"}]',
        '{"key":"json"}',
      ],
    ])('patches by %s', async (type, patch, data) => {
      const name = `patched-${type}`;
      await kubectl.ok(['create', 'configmap', name, '--from-literal=key=old', '--from-literal=other=kept']);
      expect(await kubectl.ok(['patch', 'cm', name, `--type=${type}`, '-p', patch])).toBe(
        `configmap/${name} patched\n`,
      );
      expect(await kubectl.ok(['patch', 'cm', name, `--type=merge`, '-p', '{}'])).toBe(
        `configmap/${name} patched (no change)\n`,
      );
      expect(await kubectl.ok(['get', 'cm', name, '-o', 'jsonpath={.data}'])).toBe(data);
    });

    it('edits with an editor', async () => {
      using folder = temporaryDirectory('editor');
      const editor = join(folder.path, 'editor.sh');
      writeFileSync(editor, '#!/bin/sh\nsed -i.bak "s/before/after/" "$1"\n');
      chmodSync(editor, 0o755);
      await kubectl.ok(['create', 'configmap', 'edited', '--from-literal=key=before']);
      expect(await kubectl.ok(['edit', 'cm', 'edited'], '', { EDITOR: editor })).toBe('configmap/edited edited\n');
      expect(await kubectl.ok(['get', 'cm', 'edited', '-o', 'jsonpath={.data.key}'])).toBe('after');
    });

    it('replaces, and refuses to replace with an old version', async () => {
      await kubectl.ok(['create', 'configmap', 'replaced', '--from-literal=key=1']);
      const old = await kubectl.ok(['get', 'cm', 'replaced', '-o', 'json']);
      expect(await kubectl.ok(['replace', '-f', '-'], old.replace('"key": "1"', '"key": "2"'))).toBe(
        'configmap/replaced replaced\n',
      );
      expect((await kubectl.run(['replace', '-f', '-'], old.replace('"key": "1"', '"key": "3"'))).stderr).toBe(
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "replaced": ' +
          'the object has been modified; please apply your changes to the latest version and try again\n',
      );
    });

    it('labels, selects by label and annotates', async () => {
      await kubectl.ok(['create', 'configmap', 'labelled']);
      expect(await kubectl.ok(['label', 'cm', 'labelled', 'tier=one'])).toBe('configmap/labelled labeled\n');
      expect(await kubectl.ok(['get', 'cm', '-l', 'tier in (one,two),!absent', '-o', 'name'])).toBe(
        'configmap/labelled\n',
      );
      expect(await kubectl.ok(['label', 'cm', 'labelled', 'tier-'])).toBe('configmap/labelled unlabeled\n');
      expect(await kubectl.ok(['annotate', 'cm', 'labelled', 'note=some text'])).toBe('configmap/labelled annotated\n');
      expect(await kubectl.ok(['get', 'cm', 'labelled', '-o', 'jsonpath={.metadata.annotations.note}'])).toBe(
        'some text',
      );
      expect(await kubectl.ok(['get', 'cm', '--field-selector', 'metadata.name=labelled', '-o', 'name'])).toBe(
        'configmap/labelled\n',
      );
    });

    it('deletes, also by label and all', async () => {
      await kubectl.ok(['create', 'namespace', 'deleting']);
      const inside = (args: readonly string[]) => kubectl.ok([...args, '-n', 'deleting']);
      for (const name of ['a', 'b', 'c']) await inside(['create', 'configmap', name]);
      await inside(['label', 'cm', 'b', 'gone=yes']);
      expect(await inside(['delete', 'cm', 'a', '-o', 'name'])).toBe('configmap/a\n');
      expect(await inside(['delete', 'cm', '-l', 'gone=yes', '-o', 'name'])).toBe('configmap/b\n');
      expect(await inside(['delete', 'cm', '--all', '-o', 'name'])).toBe('configmap/c\n');
      expect(await inside(['get', 'cm'])).toBe('');
      expect((await kubectl.run(['delete', 'cm', 'a', '-n', 'deleting'])).stderr).toBe(
        'Error from server (NotFound): configmaps "a" not found\n',
      );
    });

    it('lists in pages', async () => {
      await kubectl.ok(['create', 'namespace', 'paged']);
      const items = Array.from({ length: 7 }, (_, index) => manifest(`page-${index}`, `value-${index}`));
      await kubectl.ok(['create', '-n', 'paged', '-f', '-'], items.join('---\n'));
      expect((await kubectl.ok(['get', 'cm', '-n', 'paged', '--chunk-size=2', '-o', 'name'])).split('\n')).toEqual([
        ...items.map((_, index) => `configmap/page-${index}`),
        '',
      ]);
    });

    it('watches', async () => {
      await kubectl.ok(['create', 'namespace', 'watched']);
      await using watch = kubectl.follow(['get', 'cm', '-n', 'watched', '-w', '--output-watch-events']);
      await kubectl.ok(['create', 'configmap', 'seen', '-n', 'watched']);
      await watch.waitForLines(2);
      await kubectl.ok(['label', 'cm', 'seen', '-n', 'watched', 'a=b']);
      await watch.waitForLines(3);
      await kubectl.ok(['delete', 'cm', 'seen', '-n', 'watched']);
      expect((await watch.waitForLines(4)).map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
        ['EVENT', 'NAME', 'DATA'],
        ['ADDED', 'seen', '0'],
        ['MODIFIED', 'seen', '0'],
        ['DELETED', 'seen', '0'],
      ]);
    });

    it('waits for deletion', async () => {
      await kubectl.ok(['create', 'configmap', 'awaited']);
      const waiting = kubectl.ok(['wait', '--for=delete', 'cm/awaited', '--timeout=20s']);
      await kubectl.ok(['delete', 'cm', 'awaited']);
      expect(await waiting).toMatch(/^(configmap\/awaited condition met\n)?$/);
    });
  });

  describe('wrong input is refused in the server’s words', () => {
    it.each([
      {
        what: 'a bad name',
        args: ['create', 'configmap', 'Bad_Name'],
        input: '',
        stderr:
          'error: failed to create configmap: ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of ' +
          "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n",
      },
      {
        what: 'an unknown field',
        args: ['create', '-f', '-'],
        input: `${manifest('strict', 'x')}nothing: 1\n`,
        stderr:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nothing"\n',
      },
      {
        what: 'a value of the wrong type',
        args: ['create', '-f', '-'],
        input: manifest('wrong', '1'),
        stderr:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string\n',
      },
      {
        what: 'a bad data key',
        args: ['create', '-f', '-'],
        input: manifest('key', 'x').replace('key: x', 'a/b: x'),
        stderr:
          'The ConfigMap "key" is invalid: data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, ' +
          "'-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')\n",
      },
      {
        what: 'a kind that is not there',
        args: ['get', 'unicorns'],
        input: '',
        stderr: 'error: the server doesn\'t have a resource type "unicorns"\n',
      },
    ])('$what', async ({ args, input, stderr }) => {
      expect(await kubectl.run(args, input)).toEqual({ code: 1, stdout: '', stderr });
    });

    it('an unknown field is a warning when asked so', async () => {
      const { code, stderr } = await kubectl.run(
        ['create', '--validate=warn', '-f', '-'],
        `${manifest('lenient', 'x')}nothing: 1\n`,
      );
      expect([code, stderr]).toEqual([0, 'Warning: unknown field "nothing"\n']);
    });
  });

  describe('raw paths', () => {
    it.each([
      ['/readyz', /^ok$/],
      ['/livez?verbose', /\[\+\]ping ok\n[\s\S]*livez check passed/],
      ['/version', /"minor": "36"/],
      ['/api', /"versions":\s*\[\s*"v1"/],
    ])('get --raw %s', async (path, body) => {
      expect(await kubectl.ok(['get', '--raw', path])).toMatch(body);
    });
  });
});
