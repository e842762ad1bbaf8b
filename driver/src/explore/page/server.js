// What the page asks the server.

// The token of this run: whoever has the page's address has it.
const token = new URLSearchParams(location.search).get("token");

/** The answer to a request. */
export async function ask(what, body) {
  const response = await fetch(`/api/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tilewright-Token": token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
