// A Lambda runtime of twenty lines, and a handler that does what its event says.
const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const post = (path, value) => fetch(`${api}/${path}`, { method: "POST", body: JSON.stringify(value) });
let calls = 0;

const does = {
  counts: () => ++calls,
  tellsTime: () => [Date.now() / 1000, performance.now() / 1000, Number(process.hrtime.bigint()) / 1e9],
  tellsHandler: () => process.env._HANDLER,
  waits: () => new Promise((done) => setTimeout(() => done("waited"), 20)),
  raises: () => { throw new RangeError("no region\nfound"); },
};

for (;;) {
  const next = await fetch(`${api}/invocation/next`);
  const id = next.headers.get("lambda-runtime-aws-request-id");
  try {
    await post(`invocation/${id}/response`, await does[(await next.json()).do]());
  } catch (error) {
    await post(`invocation/${id}/error`, { errorType: error.name, errorMessage: error.message });
  }
}
