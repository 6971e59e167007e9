/** A time in UTC as Go prints it; the zero time for undefined. */
export function goTime(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '0001-01-01 00:00:00 +0000 UTC';
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return String(milliseconds / 1000);
  const [day = '', time = ''] = date.toISOString().slice(0, -1).split('T');
  return `${day} ${time.replace(/\.000$/, '').replace(/(\.\d+?)0+$/, '$1')} +0000 UTC`;
}
