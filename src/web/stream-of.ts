/** A stream of what is there already: a piece is handed on when the reader has taken those before it. */
export function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = pieces.values()
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = left.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}
