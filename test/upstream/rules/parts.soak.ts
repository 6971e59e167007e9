import { createHash, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as factories from '@apiserver/apimachinery/errors';
import { messageOf, type StatusError } from '@apiserver/apimachinery/errors';
import type { FieldErrorType } from '@apiserver/apimachinery/field';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { keyPairFault } from '@apiserver/apimachinery/x509';
import { requestHeaderAuthenticator } from '@apiserver/authentication';
import { testAuthenticationExchange } from '@apiserver/authentication/testing';
import { compareKubeAwareVersions } from '@apiserver/endpoints-installer';
import { it } from 'vitest';
import { readManifestFiles } from '../../../packages/admission/src/manifests/manifest-files.ts';
import { formatText } from '../../../packages/component-base/src/logging/text-format.ts';
import { NamedCertificates } from '../../../packages/generic-server/src/serving/tls/named-certificates.ts';
import { temporaryDirectory } from '../../harness/api-server.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { describeUpstream } from '../upstream-program.ts';
import {
  type ErrorCase,
  type HeadersCase,
  type LineCase,
  randomError,
  randomFiles,
  randomHeaders,
  randomKeyPair,
  randomLine,
  randomServerNames,
  randomVersion,
  type ServerNamesCase,
} from './random-parts.ts';

interface Part {
  randomValue(random: Random): object;
  // biome-ignore lint/suspicious/noExplicitAny: each part has values of its own
  ours(value: any): unknown;
  /** An answer of either side in the form that is compared. Default: unchanged. */
  // biome-ignore lint/suspicious/noExplicitAny: each part has answers of its own
  comparable?(answer: any): unknown;
}

const FACTORIES: Readonly<Record<string, (one: ErrorCase) => StatusError>> = {
  notFound: ({ group, kind, name }) => factories.newNotFound({ group, resource: kind }, name),
  alreadyExists: ({ group, kind, name }) => factories.newAlreadyExists({ group, resource: kind }, name),
  generateName: ({ group, kind, name, number }) =>
    factories.newGenerateNameConflict({ group, resource: kind }, name, number),
  unauthorized: ({ message }) => factories.newUnauthorized(message),
  forbidden: ({ group, kind, name, message }) => factories.newForbidden({ group, resource: kind }, name, message),
  conflict: ({ group, kind, name, message }) => factories.newConflict({ group, resource: kind }, name, message),
  expired: ({ message }) => factories.newResourceExpired(message),
  badRequest: ({ message }) => factories.newBadRequest(message),
  tooManyRequests: ({ message, number }) => factories.newTooManyRequests(message, number),
  unavailable: ({ message }) => factories.newServiceUnavailable(message),
  methodNotSupported: ({ group, kind, message }) => factories.newMethodNotSupported({ group, resource: kind }, message),
  serverTimeout: ({ group, kind, message, number }) =>
    factories.newServerTimeout({ group, resource: kind }, message, number),
  internal: ({ message }) => factories.newInternalError(message),
  timeout: ({ message, number }) => factories.newTimeout(message, number),
  requestEntity: ({ message }) => factories.newRequestEntityTooLarge(message),
  generic: ({ group, kind, name, message, number, errors }) =>
    factories.newGenericServerResponse({
      code: number,
      verb: kind,
      resource: { group, resource: kind },
      name,
      serverMessage: message,
      retryAfterSeconds: errors.length,
      isUnexpectedResponse: errors.length % 2 === 0,
    }),
  invalid: ({ group, kind, name, errors }) =>
    factories.newInvalid(
      { group, kind },
      name,
      errors.map(({ type, field, detail, value }) => ({
        type: type as FieldErrorType,
        field,
        detail,
        badValue: value,
      })),
    ),
};

const authority = makeTestCertificate({ commonName: 'root', authority: true });
const proxy = makeTestCertificate({ commonName: 'front-proxy', issuer: authority });

async function userOf({ names, uids, groups, prefixes, headers }: HeadersCase): Promise<unknown> {
  const config = { usernameHeaders: names, uidHeaders: uids, groupHeaders: groups, extraHeaderPrefixes: prefixes };
  const authenticator = requestHeaderAuthenticator(
    { ...config, clientCAs: () => authority.certificate, allowedNames: [] },
    Date.now,
  );
  const sent: Record<string, string[]> = {};
  for (const [header, value] of headers) {
    const name = header.toLowerCase();
    sent[name] = [...(sent[name] ?? []), value];
  }
  const certificates = { chain: [proxy.der], memo: new Map() };
  const { exchange } = testAuthenticationExchange({ headers: sent, certificates });
  const user = (await authenticator.authenticateRequest(exchange))?.user;
  return user === undefined ? null : { ...user, uid: user.uid ?? '' };
}

interface User {
  readonly extra: Readonly<Record<string, readonly string[]>> | null;
}

/** Headers have no order upstream. */
function comparableUser(user: User | null): unknown {
  const sorted = Object.entries(user?.extra ?? {}).map(([key, values]) => [key, values.toSorted()] as const);
  return user && { ...user, extra: sorted.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

function manifestsOf({ files }: { readonly files: Readonly<Record<string, string>> }): unknown {
  using folder = temporaryDirectory('manifests');
  for (const [name, base64] of Object.entries(files)) {
    writeFileSync(join(folder.path, name), Buffer.from(base64, 'base64'));
  }
  try {
    const { documents, hash } = readManifestFiles(folder.path);
    return [hash, ...documents.flatMap(({ file, text }) => [basename(file), text])];
  } catch (error) {
    return messageOf(error).replaceAll(folder.path, 'FOLDER');
  }
}

class NamedError extends Error {
  override readonly name = 'NamedError';
}

function lineOf({ message, keys, values, err }: LineCase): string {
  const fields = Object.fromEntries(keys.map((key, at) => [key, values[at]]));
  const error = err === undefined ? {} : { error: new NamedError(err) };
  const line = formatText({ severity: 'I', time: new Date(), level: 0, logger: 'x', message, fields, ...error }, 1);
  return line.slice(line.indexOf('] ') + 2);
}

function shownCertificates({ serving, named, serverNames }: ServerNamesCase): readonly string[] {
  const pairs = named.map(({ pair: [certificate, key], names }) => ({ certificate, key, names }));
  const certificates = new NamedCertificates(serving[0], pairs);
  return serverNames.map((name) => {
    const { raw } = new X509Certificate(certificates.forName(name)?.certificate ?? serving[0]);
    return createHash('sha256').update(raw).digest('hex');
  });
}

const PARTS: Readonly<Record<string, Part>> = {
  kubeVersions: {
    randomValue: (random) => ({ versions: Array.from({ length: 6 }, () => randomVersion(random)) }),
    ours: ({ versions }: { readonly versions: readonly string[] }) => versions.toSorted(compareKubeAwareVersions),
  },
  statusError: {
    randomValue: (random) => randomError(random, Object.keys(FACTORIES)),
    ours: (one: ErrorCase) => FACTORIES[one.make]?.(one).status,
    comparable: ({ kind: _, apiVersion: __, ...status }: Record<string, unknown>) => status,
  },
  requestHeader: { randomValue: randomHeaders, ours: userOf, comparable: comparableUser },
  manifestFiles: { randomValue: (random) => ({ files: randomFiles(random) }), ours: manifestsOf },
  logLine: { randomValue: randomLine, ours: lineOf },
  keyPair: {
    randomValue: randomKeyPair,
    ours: ({ certificate, key }) => keyPairFault(certificate, key) ?? '',
    // Most faults of a certificate have one text here.
    comparable: (fault: string) => fault.replace(/^x509: malformed .*/, 'x509: malformed'),
  },
  serverNames: { randomValue: randomServerNames, ours: shownCertificates },
};
const NAMES = Object.keys(PARTS) as [string, ...string[]];

interface PartCase {
  readonly rule: string;
}

function comparable(answer: unknown, { rule }: PartCase): unknown {
  const { comparable: form = (same: unknown) => same } = PARTS[rule] ?? {};
  return JSON.parse(JSON.stringify(form(answer)));
}

describeUpstream('parts of modules', (upstream) => {
  it('answer as upstream', () =>
    compareCases<PartCase, unknown>(upstream(), {
      area: 'rule',
      randomCase: (random) => {
        const rule = random.of(NAMES);
        return { rule, ...PARTS[rule]?.randomValue(random) };
      },
      ours: async (one) => comparable((await PARTS[one.rule]?.ours(one)) ?? null, one),
      theirs: ({ answer }: { readonly answer: never }, one) => comparable(answer, one),
    }));
});
