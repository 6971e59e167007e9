import { parseIPAddress } from './ip-address.js';

/** The kinds of IP addresses, given as 4 or 16 bytes. Upstream: the methods of `IP` in Go's package net */
type Bytes = readonly number[];

/** True for 0.0.0.0 and ::. */
export function isUnspecified(bytes: Bytes): boolean {
  return bytes.every((byte) => byte === 0);
}

/** True for 127.0.0.0/8 and ::1. */
export function isLoopback(bytes: Bytes): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

/** True for localhost and for the text of a loopback address: hosts that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  // The system reads numbers with leading zeros as octal ones.
  if (/(?:^|\.)0\d/.test(host)) return false;
  const address = parseIPAddress(host);
  return address === undefined ? host.toLowerCase() === 'localhost' : isLoopback(address.bytes);
}

/** True for 169.254.0.0/16 and fe80::/10. */
export function isLinkLocalUnicast([first = 0, second = 0, ...rest]: Bytes): boolean {
  return rest.length === 2 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isMulticast([first = 0, ...rest]: Bytes): boolean {
  return rest.length === 3 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

/** True for the address of a single machine that others reach, private addresses included. */
export function isGlobalUnicast(bytes: Bytes): boolean {
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !(isBroadcast || isUnspecified(bytes) || isLoopback(bytes) || isMulticast(bytes) || isLinkLocalUnicast(bytes));
}
