/** Node's path of a unix socket: Go writes an abstract one with "@", Linux with a zero byte. */
export function socketPathOf(name: string): string {
  return name.replace(/^@/, '\0');
}
