import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runBinary, temporaryDirectory } from '../harness/api-server.ts';

const folder = temporaryDirectory('unreadable-files');
const text = join(folder.path, 'text');
writeFileSync(text, 'no PEM');
afterAll(() => folder[Symbol.dispose]());

const NONE = 'open /none: no such file or directory';
const ISSUER = '--service-account-issuer=https://issuer';

/** Upstream: the errors of the options' ApplyTo and of their readers, each told once */
it.each([
  [['--client-ca-file=/none'], `unable to load client CA provider: ${NONE}`],
  [
    [`--client-ca-file=${text}`],
    `unable to load client CA provider: error loading CA bundle for "client-ca-bundle::${text}": data does not contain any valid RSA or ECDSA certificates`,
  ],
  [['--tls-cert-file=/none', '--tls-private-key-file=/none'], NONE],
  [['--token-auth-file=/none'], NONE],
  [['--requestheader-client-ca-file=/none'], `unable to create request header authentication config: ${NONE}`],
  [[ISSUER, '--service-account-key-file=/none'], NONE],
  [
    [ISSUER, `--service-account-key-file=${text}`],
    `error reading public key file ${text}: data does not contain any valid RSA or ECDSA public keys`,
  ],
  [
    [ISSUER, '--service-account-signing-key-file=/none', '--service-account-key-file=/none'],
    `failed to parse service-account-issuer-key-file: ${NONE}`,
  ],
  [
    [ISSUER, `--service-account-signing-key-file=${text}`, `--service-account-key-file=${text}`],
    `failed to parse service-account-issuer-key-file: error reading private key file ${text}: data does not contain a valid RSA or ECDSA private key`,
  ],
  [['--authorization-mode=ABAC', '--authorization-policy-file=/none'], `invalid authorization config: ${NONE}`],
  [['--authentication-token-webhook-config-file=/none'], 'stat /none: no such file or directory'],
  [['--audit-policy-file=/none'], `loading audit policy file: failed to read file path "/none": ${NONE}`],
  [
    ['--admission-control-config-file=/none'],
    `failed to read plugin config: unable to read admission control configuration from "/none" [${NONE}]`,
  ],
  [['--authentication-config=/none'], `failed to load authentication configuration from file "/none": ${NONE}`],
  [['--kubelet-client-certificate=/none', '--kubelet-client-key=/none'], NONE],
  [['--etcd-servers=https://127.0.0.1:1', '--etcd-cafile=/none'], `--etcd-cafile: ${NONE}`],
])('%j ends the start with %s', async (flags, message) => {
  const { code, stderr } = await runBinary([`--data-dir=${join(folder.path, 'data')}`, '--secure-port=0', ...flags]);
  const [, said = stderr] = /"command failed" err=(".*")\n/.exec(stderr) ?? [];
  expect([code, said]).toEqual([1, JSON.stringify(message)]);
});
