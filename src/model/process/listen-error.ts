const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port',
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'no interface of this machine has the address',
}

export function whyNotListening({ code = '', message }: NodeJS.ErrnoException): string {
  return reasons[code] ?? message
}
