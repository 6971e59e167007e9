import { refuseUnknownOptions } from '@apiserver/component-base/process';
import { ControlPlaneError, type FieldCheck, fieldError, texts } from '@apiserver/test-powers';
import type { ControlPlaneOptions } from '../control-plane.js';

function must(be: string, accepts: (value: unknown) => boolean): FieldCheck {
  return (value, path) => {
    if (!accepts(value)) throw fieldError(path, `must be ${be}`);
  };
}

/** Manifests and times are checked when they are read. */
const later: FieldCheck = () => {};

/** All names, so that the compiler refuses an option that is not checked. */
const known: Readonly<Record<keyof ControlPlaneOptions, FieldCheck>> = {
  crds: later,
  objects: later,
  webhooks: later,
  webhookServer: must(
    'a handler of requests, or an object with a url',
    (value) => typeof value === 'function' || typeof member(value, 'url') === 'string',
  ),
  controllers: texts,
  flags: texts,
  storage: must('an open KeyValueStore', (value) => typeof member(value, 'watch') === 'function'),
  clock: later,
  from: must(
    'a snapshot, from plane.snapshot() or readSnapshot()',
    (value) => typeof member(member(value, 'store'), 'entries') === 'function',
  ),
  logger: must('a Logger', (value) => typeof member(value, 'named') === 'function'),
  configure: must('a function', (value) => typeof value === 'function'),
};

/** Flags of what a plane arranges itself. */
const OWN_FLAGS =
  /^--(?:bind-address|cert-dir|client-ca-file|data-dir|etcd-servers|storage-backend|tls-cert-file)(?:=|$)/;

/**
 * Throws a ControlPlaneError that names each unknown option, an option of another type, or a flag that the plane sets
 * itself. Tests in JavaScript have no compiler that would find them.
 */
export function checkOptions(options: ControlPlaneOptions): void {
  refuseUnknownOptions('startControlPlane', options, known, ControlPlaneError);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && isKnown(name)) known[name](value, name);
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
