import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { type EtcdAdministration, type EtcdStatus, newLeaseId } from './etcd-administration.js';
import type { EtcdConnection } from './etcd-connection.js';
import { readFields, readInt64 } from './messages/key-value.js';
import { LEASE_GRANT, STATUS } from './methods.js';

/**
 * The same without the etcd3 library, whose TLS does not support a server named by its IP address. The library sets the
 * address as the server name, which Node rejects. Nor can the library connect through a dialer.
 */
export class DirectAdministration implements EtcdAdministration {
  readonly #connection: EtcdConnection;
  readonly #random: (bound: number) => number;

  constructor(connection: EtcdConnection, random: (bound: number) => number) {
    this.#connection = connection;
    this.#random = random;
  }

  async grantLease(seconds: number): Promise<number> {
    const id = newLeaseId(this.#random);
    // etcdserverpb.LeaseGrantRequest
    const request = new BinaryWriter().uint32(0x08).int64(seconds).uint32(0x10).int64(id).finish();
    await this.#connection.write(LEASE_GRANT, request);
    return id;
  }

  async status(endpoint: string): Promise<EtcdStatus> {
    const reader = new BinaryReader(await this.#connection.ask(endpoint, STATUS, new Uint8Array(0)));
    let version = '';
    let databaseSize = 0;
    // etcdserverpb.StatusResponse
    readFields(reader, reader.len, (field) => {
      if (field === 2) version = reader.string();
      else if (field === 3) databaseSize = readInt64(reader);
      else return false;
      return true;
    });
    return { version, databaseSize };
  }

  async close(): Promise<void> {}
}
