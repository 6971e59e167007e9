import { readFileSync } from 'node:fs';
import type { CollectedMetric, Sample } from './series.js';

/**
 * The metrics of the process that prom-client lacks or counts differently. Its CPU time is the time since prom-client
 * was loaded, not since the process began. Only Linux has the limit of memory and the traffic of the network.
 *
 * Upstream: github.com/prometheus/client_golang/prometheus/process_collector_procfsenabled.go
 */
export const PROCESS_METRICS: readonly CollectedMetric[] = [
  {
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process in seconds.',
    type: 'counter',
    samples: () => cpuSamples(({ user, system }) => user + system),
  },
  {
    name: 'process_cpu_user_seconds_total',
    help: 'CPU time of the process in user mode, in seconds.',
    type: 'counter',
    samples: () => cpuSamples(({ user }) => user),
  },
  {
    name: 'process_cpu_system_seconds_total',
    help: 'CPU time of the process in system mode, in seconds.',
    type: 'counter',
    samples: () => cpuSamples(({ system }) => system),
  },
  {
    name: 'process_virtual_memory_max_bytes',
    help: 'Limit of virtual memory in bytes.',
    type: 'gauge',
    samples: () => samplesOf(memoryLimit()),
  },
  {
    name: 'process_network_receive_bytes_total',
    help: 'Bytes received by the network.',
    type: 'counter',
    samples: () => samplesOf(ipTraffic('InOctets')),
  },
  {
    name: 'process_network_transmit_bytes_total',
    help: 'Bytes sent by the network.',
    type: 'counter',
    samples: () => samplesOf(ipTraffic('OutOctets')),
  },
];

function cpuSamples(microsecondsOf: (usage: NodeJS.CpuUsage) => number): Sample[] {
  return samplesOf(microsecondsOf(process.cpuUsage()) / 1e6);
}

function samplesOf(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

/** The largest unsigned integer of 64 bits stands for no limit. */
const UNLIMITED = 2 ** 64;

function memoryLimit(): number | undefined {
  const [, limit] = /^Max address space +(\S+)/m.exec(readProc('limits')) ?? [];
  if (limit === undefined) return undefined;
  return limit === 'unlimited' ? UNLIMITED : Number(limit);
}

/** A value of the row IpExt, whose names are in the line above. */
function ipTraffic(name: string): number | undefined {
  const [names, values] = readProc('net/netstat')
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '));
  const value = values?.[names?.indexOf(name) ?? -1];
  return value === undefined ? undefined : Number(value);
}

/** "" if there is no such file, as on other systems than Linux. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8');
  } catch {
    return '';
  }
}
