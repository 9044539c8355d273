/** The host name, and enough of the rest to distinguish processes on one host. */
export function replicaName(id: string): string {
  return id.replace(/(\/.{6}).*/, '$1')
}
