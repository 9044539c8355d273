/** True for a host of a URL, a name or an address, that never leaves this machine; IPv6 with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost\.?|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}
