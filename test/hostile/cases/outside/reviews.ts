import type { ServerResponse } from 'node:http';
import { connect, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Attacker, type HostileCase, type HostileResponse, KIB, MIB, sending } from '../../hostile-case.ts';
import { ANSWERS, type Answer, answerWith, REVIEWED_USER, type Reviewed } from '../../hostile-reviewers.ts';

const LIST = '/api/v1/namespaces/default/configmaps?limit=1';
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
/** Pods need it. */
const ACCOUNT = sending(
  'POST',
  '/api/v1/namespaces/default/serviceaccounts',
  'json',
  '{"metadata":{"name":"default"}}',
);

/** Bytes of a review; the server reads 1 MiB. */
const LONG = MIB - KIB;
/** Bytes that the server does not read. */
const TOO_LONG = 7 * MIB;
/** Values of a review; the server reads 20,000. */
const MANY = 19_900;
/** Milliseconds until audit events are sent, and of the work on the answer and its retries. */
const DEADLINE = 10_000;
const AFTERWARDS = 500;
/** Requests that wait for a webhook that hangs, by connection, and milliseconds of their patience. */
const WAITING = { connections: 10, requests: 100, patience: 3_000 };

const many = (length: number) => Array.from({ length }, (_, index) => index);
const named = (length: number) => many(length).map((i) => `name-${i}`);
const quotes = (bytes: number) => '"\n'.repeat(bytes / 4);
const asJson = (response: ServerResponse) => response.setHeader('content-type', 'application/json');

/** A review with this status. */
function giving(status: () => object): Answer {
  return (review, response) => answerWith(review, response, status());
}

/** Reviews the token as one of this user. */
function asUser(user: () => object): Answer {
  return giving(() => ({ authenticated: true, user: { username: REVIEWED_USER, ...user() } }));
}

/** A review with these members besides, as text. */
function writing(members: () => string): Answer {
  return ({ apiVersion, kind }, response) => {
    asJson(response).end(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},${members()}}`);
  };
}

/** A Status that refuses. */
function refusing(fields: () => object): Answer {
  return (_, response) => {
    const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 403, ...fields() };
    asJson(response).writeHead(403).end(JSON.stringify(status));
  };
}

const values = once(() => Array(500_000).fill(0).join());
const members = once(() => JSON.stringify(Object.fromEntries(many(500_000).map((i) => [`k${i}`, 0]))));
const inflating = once(() => gzipSync(Buffer.alloc(400 * MIB, ' ')));

/** Makes a value when it is needed, and once. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Writes for as long as somebody reads. */
const endlessly: Answer = (_, response) => {
  const piece = Buffer.alloc(64 * KIB, ' ');
  const write = () => {
    while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', write);
  };
  write();
};

/** Writes a review byte by byte, each in a TLS record of its own. */
const byBytes: Answer = async ({ apiVersion, kind }, response) => {
  asJson(response).flushHeaders();
  for (const byte of Buffer.from(JSON.stringify({ apiVersion, kind, x: 'x'.repeat(20_000) }))) {
    response.write(Buffer.of(byte));
    if (byte === 0x78) await new Promise<unknown>((resolve) => setImmediate(resolve));
  }
  response.end();
};

/** Writes heads of 100 KB before, and a head of many fields. */
const headers: Answer = (_, { socket }) => {
  socket?.write(`HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(100_000)}\r\n\r\n`.repeat(20));
  socket?.write(
    `HTTP/1.1 200 OK\r\n${many(200_000)
      .map((i) => `x-${i}: y\r\n`)
      .join('')}\r\n`,
  );
};

/** Answers of all webhooks. */
const ANSWERS_OF_ALL: Readonly<Record<string, Answer>> = {
  'an endless answer': endlessly,
  'an answer byte by byte': byBytes,
  'floods of fields': headers,
  '500,000 members': writing(() => `"x":${members()}`),
  '90,000 repeated names': writing(() => Array(90_000).fill('"status":{}').join()),
  '19,900 repeated names in the status': writing(() => `"status":{${Array(MANY).fill('"allowed":true').join()}}`),
  '500,000 unknown values': writing(() => `"x":[${values()}]`),
  'lists in lists': writing(() => `"x":${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  'lists in lists, not too deep': writing(
    () =>
      `"x":[${Array(500)
        .fill('['.repeat(990) + ']'.repeat(990))
        .join()}]`,
  ),
  '400 MiB in gzip': (_, response) => void response.setHeader('content-encoding', 'gzip').end(inflating()),
  'another type': (_, response) => void response.setHeader('content-type', 'text/html').end('<'.repeat(LONG)),
  'a redirect': (_, response) => void response.writeHead(302, { location: '/token' }).end('x'.repeat(LONG)),
  'a refusal of 1 MiB': refusing(() => ({ message: quotes(LONG - KIB) })),
  'a refusal of 7 MiB': refusing(() => ({ message: quotes(TOO_LONG) })),
  'a refusal of causes': refusing(() => ({ details: { causes: many(24_000).map((i) => ({ field: `f${i}` })) } })),
  'a reset': (_, response) =>
    void response.writeHead(200, { 'content-length': TOO_LONG }).write('{"', () => response.destroy()),
  'a kind of 1 MiB': (_, response) => void asJson(response).end(JSON.stringify({ kind: '"'.repeat(LONG / 2) })),
};

/** Answers of single webhooks. */
const ANSWERS_OF: Readonly<Record<Reviewed, Readonly<Record<string, Answer>>>> = {
  token: {
    '19,900 groups': asUser(() => ({ groups: named(MANY) })),
    '19,900 extra keys': asUser(() => ({ extra: Object.fromEntries(named(MANY).map((key) => [key, ['v']])) })),
    '19,900 extra values': asUser(() => ({ extra: { k: named(MANY) } })),
    '100,000 groups': asUser(() => ({ groups: named(100_000) })),
    'a name of 1 MiB': asUser(() => ({ username: quotes(LONG - KIB) })),
    'a uid of 1 MiB': asUser(() => ({ uid: quotes(LONG - KIB) })),
    'an error of 1 MiB': giving(() => ({ authenticated: false, error: quotes(LONG - KIB) })),
    '19,900 audiences': giving(() => ({ authenticated: true, audiences: named(MANY) })),
  },
  access: {
    'a reason of 1 MiB': giving(() => ({ allowed: false, reason: quotes(LONG - KIB) })),
    'an error of 1 MiB': giving(() => ({ allowed: false, evaluationError: quotes(LONG - KIB) })),
  },
  image: {
    'a reason of 1 MiB': giving(() => ({ allowed: false, reason: quotes(LONG - KIB) })),
    '19,900 audit annotations': giving(() => {
      return { allowed: true, auditAnnotations: Object.fromEntries(named(MANY).map((key) => [key, 'v'])) };
    }),
  },
  audit: {},
};

/** Statuses of cases at the bounds, and beyond them. */
const STATUSES: Readonly<Record<string, number>> = {
  'token: 19,900 groups': 200,
  'token: 19,900 extra keys': 200,
  'token: 19,900 extra values': 200,
  'token: 100,000 groups': 401,
  'token: a uid of 1 MiB': 200,
  'access: 500,000 unknown values': 500,
  'access: a refusal of 7 MiB': 500,
  'access: a reason of 1 MiB': 403,
  'image: 500,000 unknown values': 403,
  'image: 19,900 audit annotations': 201,
};

/** Sends a request whose token, access or images a webhook reviews so. */
async function attackWith(attacker: Attacker, name: string, kind: Reviewed, answer: Answer): Promise<HostileResponse> {
  let isAsked = false;
  ANSWERS.set(kind, (...asked) => {
    isAsked = true;
    answer(...asked);
  });
  try {
    if (kind === 'image') return await attacker.send(podOf(name));
    const path = `${LIST}&labelSelector=${name}`;
    const headers = { authorization: `Bearer ${name}` };
    const response = await attacker.send({ method: 'GET', path, headers }, 'anonymous');
    if (kind === 'audit') await eventsSent(() => isAsked);
    return response;
  } finally {
    ANSWERS.delete(kind);
  }
}

/** Events are sent after their requests: the answer holds the loop, not the request. */
async function eventsSent(isAsked: () => boolean): Promise<void> {
  for (const end = Date.now() + DEADLINE; !isAsked() && Date.now() < end; ) await sleep(50);
  await sleep(AFTERWARDS);
}

function podOf(image: string) {
  const spec = { containers: [{ name: 'c', image }], automountServiceAccountToken: false };
  return sending('POST', PODS, 'json', JSON.stringify({ metadata: { name: image }, spec }));
}

/** A thousand clients whose tokens a webhook never reviews. They give up, and the next one is served. */
async function waitInVain(attacker: Attacker, name: string): Promise<HostileResponse> {
  const { host, port, ca } = attacker.target;
  ANSWERS.set('token', () => {});
  const sessions = many(WAITING.connections).map(() => connect(`https://${host}:${port}`, { ca }));
  try {
    for (const [i, session] of sessions.entries()) {
      session.on('error', () => {});
      for (const j of many(WAITING.requests)) {
        const stream = session.request({ ':path': LIST, authorization: `Bearer ${name}-${i}-${j}` });
        stream.on('error', () => {});
        setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), WAITING.patience);
      }
    }
    await sleep(WAITING.patience + AFTERWARDS);
  } finally {
    for (const session of sessions) session.destroy();
    ANSWERS.delete('token');
  }
  return attacker.send({ method: 'GET', path: LIST, headers: { authorization: `Bearer ${name}` } }, 'anonymous');
}

function statusOf(name: string): Pick<HostileCase, 'status'> {
  const status = STATUSES[name];
  return status === undefined ? {} : { status };
}

function reviewed(kind: Reviewed): readonly HostileCase[] {
  return Object.entries({ ...ANSWERS_OF_ALL, ...ANSWERS_OF[kind] }).map(([name, answer]) => ({
    name: `${kind}: ${name}`,
    // The message of a refusal has the user, or the reason of the webhook.
    maxResponse: 4 * MIB,
    before: [ACCOUNT],
    request: () => ({ method: 'GET', path: LIST }),
    attack: (attacker, name) => attackWith(attacker, name, kind, answer),
    ...statusOf(`${kind}: ${name}`),
  }));
}

/** Webhooks for tokens, accesses, images and audit events, which answer with very much, slowly, or not at all. */
export const REVIEW_CASES: readonly HostileCase[] = [
  ...(['token', 'access', 'image', 'audit'] as const).flatMap(reviewed),
  {
    name: '1,000 requests that wait for a review',
    request: () => ({ method: 'GET', path: LIST }),
    attack: waitInVain,
    status: 200,
  },
];
