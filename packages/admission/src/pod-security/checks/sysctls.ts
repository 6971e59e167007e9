import type { Check, FindViolation } from '../check.js';

const SAFE = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SAFE_SINCE_27 = [...SAFE, 'net.ipv4.ip_local_reserved_ports'];
const SAFE_SINCE_29 = [
  ...SAFE_SINCE_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SAFE_SINCE_32 = [...SAFE_SINCE_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** Permits only sysctls that affect nothing outside the pod. */
export const sysctls: Check = {
  revisions: [
    { since: 0, find: otherThan(new Set(SAFE)) },
    { since: 27, find: otherThan(new Set(SAFE_SINCE_27)) },
    { since: 29, find: otherThan(new Set(SAFE_SINCE_29)) },
    { since: 32, find: otherThan(new Set(SAFE_SINCE_32)) },
  ],
};

function otherThan(safe: ReadonlySet<string>): FindViolation {
  return ({ spec }) => {
    const unsafe = spec.securityContext?.sysctls?.filter(({ name }) => !safe.has(name)) ?? [];
    if (unsafe.length === 0) return undefined;
    return { reason: 'forbidden sysctls', detail: unsafe.map(({ name }) => name).join(', ') };
  };
}
