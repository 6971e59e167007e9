/** Names and prefixes of sysctls in the IPC namespace. */
const IPC_NAMES: ReadonlySet<string> = new Set(['kernel.sem']);
const IPC_PREFIXES = ['kernel.shm', 'kernel.msg', 'fs.mqueue.'];

/**
 * The kernel namespace of a sysctl; undefined for one of the whole node.
 * Upstream: GetNamespace of k8s.io/component-helpers/node/util/sysctl/namespace.go
 */
export function sysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const normalized = normalizeSysctl(name);
  if (normalized.startsWith('net.')) return 'net';
  if (IPC_NAMES.has(normalized) || IPC_PREFIXES.some((prefix) => normalized.startsWith(prefix))) return 'ipc';
  return undefined;
}

/** Normalizes separators to dots, depending on the first separator. Upstream: NormalizeName */
function normalizeSysctl(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === '.') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
