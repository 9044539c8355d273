/** The name of the host, and enough of the rest to tell two processes on it apart. */
export function replicaName(id: string): string {
  return id.replace(/(\/.{6}).*/, '$1')
}
