import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { SyncError, UsageError } from '../../model/errors.ts'
import { containsCertificate } from '../../model/process/certificate-authorities.ts'
import { readRegularFile, regularFileVersion, UnfitFile } from '../../model/process/files.ts'
import { codeOrNameOf } from './outcome.ts'

/** Drops the raw headers after parsing: they reference buffers that undici retains until a full garbage collection. */
const letHeadsGo: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, statusMessage) {
      handler.onResponseStart?.(controller, status, headers, statusMessage)
      controller.rawHeaders = null
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  })

export interface DispatcherOptions {
  readonly timeoutMs: number
  readonly proxy: string | null
  readonly caFile: string | null
}

const maxConnectMs = 10_000

const connections = 16

/** HTTP/1.1, verified certificates, a proxy only if configured; `caFile` replaces the system's authorities. */
export class Dispatchers {
  readonly #options: DispatcherOptions
  #dispatcher: Dispatcher | undefined
  #version = ''
  #closed = false

  constructor(options: DispatcherOptions) {
    if (options.proxy !== null) assertProxy(options.proxy)
    this.#options = options
  }

  get proxied(): boolean {
    return this.#options.proxy !== null
  }

  /** @throws SyncError `tls` when `caFile` is unusable, `aborted` after closing. */
  async current(): Promise<Dispatcher> {
    const { caFile } = this.#options
    if (caFile === null) return this.#replace('', undefined)
    let version: string
    let ca: string | undefined
    try {
      version = await regularFileVersion(caFile)
      if (version !== this.#version || this.#dispatcher === undefined) {
        ca = (await readRegularFile(caFile)).toString()
        if (!containsCertificate(ca)) throw new UnfitFile('it contains no PEM certificate')
      }
    } catch (thrown) {
      throw new SyncError('tls', `The certificate authorities in ${caFile} cannot be used: ${codeOrNameOf(thrown)}`, {
        hint: 'Set api.caFile to a readable PEM file',
      })
    }
    return this.#replace(version, ca)
  }

  async destroy(): Promise<void> {
    this.#closed = true
    await this.#dispatcher?.destroy()
  }

  #replace(version: string, ca: string | undefined): Dispatcher {
    if (this.#closed) throw new SyncError('aborted', 'The client is closed')
    if (this.#dispatcher !== undefined && version === this.#version) return this.#dispatcher
    const former = this.#dispatcher
    const dispatcher = build(this.#options, ca).compose(letHeadsGo)
    this.#dispatcher = dispatcher
    this.#version = version
    void former?.close().catch(() => {})
    return dispatcher
  }
}

function build({ timeoutMs, proxy }: DispatcherOptions, ca: string | undefined): Dispatcher {
  const connectTimeout = Math.min(timeoutMs, maxConnectMs)
  const quality = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) }
  const common = {
    allowH2: false,
    pipelining: 1,
    connections,
    connectTimeout,
    // The deadline of the exchange applies instead.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
  }
  if (proxy === null) return new Agent({ ...common, connect: { ...quality, timeout: connectTimeout } })
  return new ProxyAgent({ ...common, uri: proxy, requestTls: quality, proxyTls: quality })
}

function assertProxy(proxy: string): void {
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : ''
  if (!['http:', 'https:', 'socks5:'].includes(protocol)) {
    throw new UsageError('api.proxy is not a URL that begins with http://, https:// or socks5://')
  }
}
