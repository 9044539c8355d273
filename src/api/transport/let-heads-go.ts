import type { Dispatcher } from 'undici'

/**
 * Drops the raw headers of an answer once its handler has the parsed ones. They are views of the bytes as they came from
 * the connection, most of the body with them, and what undici keeps of an exchange outlives many young collections: in a
 * full sync of many pages the bytes of each stayed until a full collection.
 */
export const letHeadsGo: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
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
