import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { FlagSet } from '@apiserver/component-base/flags';
import { expect, it } from 'vitest';
import { newServerContext } from '../config/server-context.js';
import { RequestHeaderOptions } from './request-header-options.js';

function parsed(
  fields: Partial<Pick<RequestHeaderOptions, 'usernameHeaders' | 'uidHeaders' | 'groupHeaders' | 'allowedNames'>>,
) {
  return Object.assign(new RequestHeaderOptions(), fields);
}

it.each([
  [{}, []],
  [{ usernameHeaders: ['X-Remote-User'], allowedNames: ['a'] }, []],
  [{ usernameHeaders: [' '], allowedNames: [''] }, ['requestheader-username-headers', 'requestheader-allowed-names']],
])('refuses values that are none: %o', (fields, flags) => {
  const messages = flags.map((flag) => `empty value in "${flag}"`);
  expect(
    parsed(fields)
      .validate()
      .map(({ message }) => message),
  ).toEqual(messages);
});

it('refuses UID headers that extension servers do not look at', () => {
  const message =
    '--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work';
  expect(parsed({ uidHeaders: ['X-Uid'] }).validate()).toEqual([new Error(message)]);
  expect(parsed({ uidHeaders: ['X-Uid', 'x-remote-uid'] }).validate()).toEqual([]);
});

it('refuses UID headers without their feature', () => {
  const message = '--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled';
  expect(parsed({ uidHeaders: ['X-Uid', ''] }).validate(false)).toEqual([new Error(message)]);
  expect(parsed({}).validate(false)).toEqual([]);
});

it('warns of headers that extension servers do not look at', () => {
  const fields = { usernameHeaders: ['X-User'], groupHeaders: ['X-Group', 'x-remote-group'] };
  expect(parsed(fields).warnings()).toEqual([
    '--requestheader-username-headers is set without specifying the standard X-Remote-User header - API aggregation will not work',
  ]);
});

const process = newServerContext({ logger: silentLogger });

it('trusts no proxy without a file of authorities', () => {
  expect(new RequestHeaderOptions().load(process)).toBeUndefined();
  expect(() => Object.assign(new RequestHeaderOptions(), { clientCAFile: '/nowhere' }).load(process)).toThrow(
    'open /nowhere: no such file or directory',
  );
});

it('has the flags of upstream', () => {
  const flags = new FlagSet();
  new RequestHeaderOptions().addFlags(flags);
  expect(
    flags
      .flags()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'requestheader-allowed-names',
    'requestheader-client-ca-file',
    'requestheader-extra-headers-prefix',
    'requestheader-group-headers',
    'requestheader-uid-headers',
    'requestheader-username-headers',
  ]);
});

it('trusts the headers of a proxy, without blanks, and none by default', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'request-header-'));
  const clientCAFile = join(folder.path, 'proxy.crt');
  writeFileSync(clientCAFile, makeTestCertificate({ commonName: 'proxy', authority: true }).certificate);
  const load = (fields: Partial<RequestHeaderOptions>) => {
    const {
      authorities: _,
      clientCAs: __,
      ...lists
    } = Object.assign(new RequestHeaderOptions(), {
      clientCAFile,
      ...fields,
    }).load(process) ?? { authorities: undefined, clientCAs: undefined };
    return lists;
  };
  expect(load({})).toEqual({
    allowedNames: [],
    usernameHeaders: [],
    uidHeaders: [],
    groupHeaders: [],
    extraHeaderPrefixes: [],
  });
  const given = {
    allowedNames: ['a'],
    usernameHeaders: [' X-User'],
    uidHeaders: ['X-Uid '],
    groupHeaders: [' X-Group '],
    extraHeaderPrefixes: ['X-Extra- '],
  };
  expect(load(given)).toEqual({
    allowedNames: ['a'],
    usernameHeaders: ['X-User'],
    uidHeaders: ['X-Uid'],
    groupHeaders: ['X-Group'],
    extraHeaderPrefixes: ['X-Extra-'],
  });
});
