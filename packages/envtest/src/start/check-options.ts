import { ControlPlaneError } from '@apiserver/test-powers';
import type { ControlPlaneOptions } from '../control-plane.js';

/** The wanted form of an option, in words and as a function. */
type Shape = readonly [name: string, accepts: (value: unknown) => boolean];

const ANY: Shape = ['anything', () => true];
const FUNCTION: Shape = ['a function', (value) => typeof value === 'function'];
const LIST_OF_STRINGS: Shape = [
  'a list of strings',
  (value) => Array.isArray(value) && value.every((element) => typeof element === 'string'),
];
const SNAPSHOT: Shape = [
  'a snapshot, from plane.snapshot() or readSnapshot()',
  (value) => typeof member(member(value, 'store'), 'entries') === 'function',
];
const STORE: Shape = ['an open KeyValueStore', (value) => typeof member(value, 'watch') === 'function'];
const LOGGER: Shape = ['a Logger', (value) => typeof member(value, 'named') === 'function'];
const WEBHOOK_SERVER: Shape = [
  'a handler of requests, or an object with a url',
  (value) => typeof value === 'function' || typeof member(value, 'url') === 'string',
];

/** All names, so that the compiler refuses an option that is not checked. Manifests and times are checked when read. */
const known: Readonly<Record<keyof ControlPlaneOptions, Shape>> = {
  crds: ANY,
  objects: ANY,
  webhooks: ANY,
  webhookServer: WEBHOOK_SERVER,
  controllers: LIST_OF_STRINGS,
  flags: LIST_OF_STRINGS,
  storage: STORE,
  clock: ANY,
  from: SNAPSHOT,
  logger: LOGGER,
  configure: FUNCTION,
};

/** Flags of what a plane arranges itself. */
const OWN_FLAGS =
  /^--(?:bind-address|cert-dir|client-ca-file|data-dir|etcd-servers|storage-backend|tls-cert-file)(?:=|$)/;

/**
 * Throws a ControlPlaneError that names each unknown option, an option of another type, or a flag that the plane sets
 * itself. Tests in JavaScript have no compiler that would find them.
 */
export function checkOptions(options: ControlPlaneOptions): void {
  const unknown = Object.keys(options).filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    const names = Object.keys(known).sort().join(', ');
    throw new ControlPlaneError(
      `unknown option${unknown.length === 1 ? '' : 's'} of startControlPlane: ${unknown.join(', ')} (known: ${names})`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !isKnown(name)) continue;
    const [wanted, accepts] = known[name];
    if (!accepts(value)) throw new ControlPlaneError(`${name}: must be ${wanted}`);
  }
  const own = options.flags?.find((flag) => OWN_FLAGS.test(flag));
  if (own !== undefined) throw new ControlPlaneError(`flags: ${own}: a control plane arranges this itself`);
}

function isKnown(name: string): name is keyof ControlPlaneOptions {
  return Object.hasOwn(known, name);
}

function member(value: unknown, name: string): unknown {
  return Object(value)[name];
}
