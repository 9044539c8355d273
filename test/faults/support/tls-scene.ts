import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { dayMs } from '../../../src/model/durations.ts'
import { type Certificate, selfSigned } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import type { Scene, SceneOptions } from './scene.ts'

const host = '127.0.0.1'

export interface Secured {
  readonly options: SceneOptions
  readonly caFile: string
  readonly good: Certificate
  /** Makes a certificate the only trusted one: two of one name would hide each other. */
  quality(only: string): void
}

/** Requirements of a scene over HTTPS: a certificate and the file of its authority. */
export function secured(): Secured {
  const good = selfSigned(host)
  const caFile = join(temporaryFolder(), 'ca.pem')
  const quality = (only: string) => writeFileSync(caFile, only)
  quality(good.cert)
  return { options: { server: { tls: good }, settings: { api: { caFile } } }, caFile, good, quality }
}

export const expired = () => selfSigned(host, Date.now() - 60 * dayMs)

/** Shows another certificate (or way of speaking TLS) from the next connection on; gives the way back. */
export async function show({ server }: Scene, context: SecureContextOptions, good: Certificate) {
  const turn = async (next: SecureContextOptions) => {
    await server.down()
    server.useCertificate(next)
    await server.up()
  }
  await turn(context)
  return () => turn(good)
}
