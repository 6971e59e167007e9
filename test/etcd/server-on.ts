import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EtcdServer } from '@apiserver/registry-store/testing';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

/** A server on that etcd. Those of one cluster share keys and authorities, and the folder of their own folders. */
export async function serverOn(
  etcd: EtcdServer,
  folder: string,
  index: number,
  args: readonly string[] = [],
): Promise<ApiServer> {
  const dataDirectory = join(folder, String(index));
  if (index > 0 && !existsSync(dataDirectory)) {
    mkdirSync(dataDirectory, { mode: 0o700 });
    cpSync(join(folder, '0', 'pki'), join(dataDirectory, 'pki'), { recursive: true });
  }
  const address = `--advertise-address=192.0.2.${10 + index}`;
  return await startApiServer({ dataDirectory, args: [`--etcd-servers=${etcd.url}`, address, ...args] });
}
