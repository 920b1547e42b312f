"""A second answer to each exercise: the library's, PyTorch's or a loop."""

import math
from math import exp, log, log2

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course.data import digits
from course.exercises import EXERCISES, check
from course.experiments.online_softmax import Running, update
from course.models import clip, experts, nearness
from course.models.speculative import residual
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model import masks as library
from transformer_lib.oracles import numpy_reference as reference
from transformer_lib.training import linear_warmup_decay, smoothed_cross_entropy


def multiplications(n, d):
    return 2 * n * d * np.array([d, n])


def attention_step(importance, x):
    return np.stack([np.average(x, axis=0, weights=row) for row in importance])


def embed(ids, E, PE):
    words = [math.sqrt(len(E.T)) * E[i] for i in ids]
    return np.array([x + p for x, p in zip(words, PE, strict=False)])


def sinusoidal_encoding(length, d_model):
    return reference.sinusoidal_encoding(length, d_model)


def put_back(Z, order):
    return Z[np.argsort(order)]


def softmax(scores):
    return reference.softmax(scores)


def attention(Q, K, V):
    return reference.scaled_dot_product_attention(Q, K, V)[0]


def masked_attention(Q, K, V, mask):
    return reference.scaled_dot_product_attention(Q, K, V, mask)[0]


def sliding_window_mask(n, window):
    return causal_mask(n) & ~np.tril(causal_mask(n), -window)


def split_heads(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=1))


def join_heads(x):
    return np.concatenate(x, axis=1)


def fill_in(h, E, position):
    return reference.softmax([row @ h[position] for row in E])


def read_words(x, W_x, W_h):
    rnn = torch.nn.RNN(*W_x.shape, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        rnn.get_parameter("weight_ih_l0").copy_(torch.tensor(W_x.T))
        rnn.get_parameter("weight_hh_l0").copy_(torch.tensor(W_h.T))
        return rnn(torch.tensor(x)[None])[0][0]


def gradient_left(w, h):
    slopes = [w * (1 - state**2) for state in h.tolist()]
    return np.array([np.prod(slopes[t + 1 :]) for t in range(len(h))])


def encode(sentence, vocabulary, unknown):
    ids = {word: n for n, word in enumerate(vocabulary.split())}
    return np.array([ids.get(word, ids[unknown]) for word in sentence.split()])


def cosine_distance(E):
    return nearness.cosine_distance(torch.tensor(E))


def merge(ids, a, b, new):
    text = "".join(chr(100 + i) for i in ids)
    merged = text.replace(chr(100 + a) + chr(100 + b), chr(100 + new))
    return np.array([ord(c) - 100 for c in merged])


def rotate(pe, k):
    """Find the positions of the rows in the table, and read it k places further on."""
    table = reference.sinusoidal_encoding(64, pe.shape[1])
    p = int(np.abs(table - pe[0]).sum(axis=1).argmin())
    return table[p + k : p + k + len(pe)]


def linear(x, W):
    return reference.linear(x, {"weight": W.T})


def project(x, *given):
    return np.concatenate([linear(x, W) for W in given], axis=1)


def all_scores(X, W_Q, W_K):
    return np.einsum("ic,jc->ij", linear(X, W_Q), linear(X, W_K))


def score(X, W_Q, W_K, i, j):
    return all_scores(X, W_Q, W_K)[i, j]


def count_parameters(d_model, d_k, d_v, n_heads):
    sizes = [np.ones((d_model, d)).size for d in (d_k, d_k, d_v)]
    return np.array(n_heads * sum(sizes))


def weighted_average(parts, V):
    return np.stack([np.average(V, axis=0, weights=row) for row in parts])


def causal_mask(n):
    return library.causal_mask(n).numpy()


def padding_mask(lengths, n):
    return library.padding_mask(torch.tensor(lengths), length=n)


def combined_mask(lengths, n):
    return library.causal_mask(n) & padding_mask(lengths, n)


def without_head(heads, W_O, gone):
    kept = heads.copy()
    kept[gone] = 0
    return np.concatenate(kept, axis=1) @ W_O


def multi_head(x, *given):
    *matrices, n_heads = given
    names = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")
    weights = {name: W.T for name, W in zip(names, matrices, strict=True)}
    return reference.multi_head_attention(x[None], x[None], weights, n_heads)[0]


def layer_norm(x, gamma, beta, eps):
    return reference.layer_norm(x, {"gamma": gamma, "beta": beta}, eps)


def post_norm(x, W, *norm):
    return layer_norm(x + x @ W, *norm)


def pre_norm(x, W, *norm):
    return x + layer_norm(x, *norm) @ W


def feed_forward(x, W_1, b_1, W_2, b_2):
    parts = {"W_1.weight": W_1.T, "W_1.bias": b_1, "W_2.weight": W_2.T, "W_2.bias": b_2}
    return reference.feed_forward(x, parts)


def cosine_to_input(layers):
    found = np.zeros(layers.shape[:2])
    for k, t in np.ndindex(found.shape):
        a, b = (layers[k, t], layers[0, t])
        found[k, t] = a @ b / np.sqrt(a @ a * (b @ b))
    return found


def ffn(x, W_1, W_2):
    zero_1, zero_2 = (np.zeros(W_1.shape[1]), np.zeros(W_2.shape[1]))
    parts = {"W_1.weight": W_1.T, "W_1.bias": zero_1}
    parts |= {"W_2.weight": W_2.T, "W_2.bias": zero_2}
    return reference.feed_forward(x, parts)


def norm(x):
    return reference.layer_norm(x, {"gamma": 1.0})


def encoder_block(x, attend, ffn, norm_1, norm_2):
    for sublayer, normalize in ((attend, norm_1), (ffn, norm_2)):
        x = normalize(sublayer(x) + x)
    return x


def encoder_only(ids, E, P, W):
    rows = [E[i] * E.shape[1] ** 0.5 + P[t] for t, i in enumerate(ids)]
    x = np.stack(rows)
    for k in range(len(W)):
        x = norm(x + x @ W[k])
    return x


def shift_right(targets, start_id):
    first = np.full_like(targets[:, :1], start_id)
    return np.concatenate([first, targets[:, :-1]], axis=1)


def cross_attention(x, memory, W_Q, W_K, W_V):
    return attention(x @ W_Q, memory @ W_K, memory @ W_V)


def decoder_block(x, memory, mask, memory_mask, W):
    x = norm(x + masked_attention(x, x, x, mask))
    x = norm(x + masked_attention(x, memory, memory, memory_mask))
    return norm(x + x @ W)


def next_word_probabilities(x, E):
    return reference.softmax(x[-1] @ E.T)


def transformer_forward(source, target, mask, E, P, encode, decode):
    def embedded(ids):
        rows = F.embedding(torch.from_numpy(ids), torch.from_numpy(E)).numpy()
        return math.sqrt(E.shape[1]) * rows + P[: ids.shape[1]]

    causal = library.causal_mask(target.shape[1]).numpy()
    y = decode(embedded(target), encode(embedded(source), mask), causal, mask)
    return np.einsum("btd,vd->btv", y, E)


def cut_edge(scores, query, key):
    may_look = np.ones(scores.shape, dtype=bool)
    may_look[query, key] = False
    return reference.softmax(np.where(may_look, scores, -np.inf))


def parameters(V, D, F, N):
    attention = 4 * D * (D + 1)
    encoder = attention + 2 * D * F + F + D + 4 * D
    decoder = encoder + attention + 2 * D
    return np.array(V * D + N * (encoder + decoder))


def decoder_input_and_labels(target, sos, eos):
    whole = np.array([sos, *target, eos])
    return np.array([whole[:-1], whole[1:]])


def cross_entropy(logits, targets, pad):
    ids = torch.from_numpy(np.asarray(targets, dtype=np.int64))
    loss = smoothed_cross_entropy(torch.from_numpy(logits).double(), ids, pad_id=pad)
    return loss.numpy()


def smoothed_targets(targets, V, smoothing, pad):
    rows = []
    for target in targets:
        said = np.array([w != pad for w in range(V)]) * (target != pad)
        rows.append(said * (smoothing / (V - 1) + (1 - smoothing) * np.eye(V)[target]))
    return np.array(rows)


def learning_rate(n, peak, warmup, steps):
    schedule = linear_warmup_decay(peak, warmup, steps)
    return np.array([schedule(int(step)) for step in n])


def clip_gradient(gradient, limit):
    g = torch.from_numpy(np.asarray(gradient, dtype=np.float64))
    parts = [torch.nn.Parameter(torch.zeros_like(row)) for row in g]
    for part, row in zip(parts, g, strict=True):
        part.grad = row.clone()
    torch.nn.utils.clip_grad_norm_(parts, limit)
    return torch.stack([p.grad for p in parts if p.grad is not None]).numpy()


def loss_gradient(logits, target):
    x = torch.from_numpy(np.asarray(logits, dtype=np.float64)).requires_grad_()
    loss = smoothed_cross_entropy(x[None], torch.tensor([target]))
    [slope] = torch.autograd.grad(loss, [x])
    return slope.numpy()


def adam_step(theta, g, m, v, n, lr):
    betas = np.array([[0.9], [0.98]])
    news = np.stack([g, np.square(g)]) * (1 - betas)
    mean, square = (betas * np.stack([m, v]) + news) / (1 - np.power(betas, n))
    return theta - lr * mean / (square**0.5 + 1e-8)


def greedy_text(logits, start, end, most):
    text = np.full(most, start)
    for n in range(1, most):
        text[n] = np.argmax(logits[text[n - 1]])
    ends = np.flatnonzero(text == end)
    return text[: ends[0] + 1] if len(ends) else text


def next_token_probabilities(logits, t, k, top_p):
    return Sampling(temperature=t, top_k=k, top_p=top_p).probabilities(logits)


def beam_step(scores, log_p):
    K, V = log_p.shape
    texts = [(scores[b] + log_p[b, w], b, w) for b in range(K) for w in range(V)]
    return np.array([text[1:] for text in sorted(texts, reverse=True)[:K]])


def beam_scores(log_p, lengths, alpha):
    return log_p * np.exp(alpha * (np.log(6) - np.log(5 + lengths)))


def cached_step(x, P, W, K, V):
    q, k, v = ((x + P[K.shape[0]]) @ w for w in W)
    keys, values = (np.vstack([K, k]), np.vstack([V, v]))
    return reference.softmax(q[None] @ keys.T / np.sqrt(q.size))[0] @ values


def span_target(ids, hidden, sentinel):
    bounds = np.flatnonzero(np.diff(np.concatenate([[0], hidden, [0]])))
    spans = [ids[a:b] for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
    parts = [part for n, span in enumerate(spans) for part in ([sentinel + n], span)]
    return np.concatenate([*parts, [sentinel + len(spans)]])


def span_input(ids, hidden, sentinel):
    read, inside = [], False
    for token, is_hidden in zip(ids, hidden, strict=True):
        if not is_hidden:
            read.append(token)
        elif not inside:
            read.append(sentinel)
            sentinel = sentinel + 1
        inside = is_hidden
    return np.array(read)


def class_scores(hidden, lengths, W, b):
    vectors = [x[:n].mean(0) for x, n in zip(hidden, lengths, strict=True)]
    return np.array([W.T @ vector + b for vector in vectors])


def lora(x, W, A, B):
    return np.array([(W + B @ A) @ row for row in x])


def bits_per_character(log_p, lengths):
    return np.array(-sum(log2(exp(x)) for x in log_p) / sum(lengths))


def masked_input(ids, chance, others, mask):
    read = ids.copy()
    for t, c in enumerate(chance):
        if c < 0.16:
            read[t] = mask
        elif c < 0.18:
            read[t] = others[t]
    return read


def masked_loss(logits, ids, chosen):
    costs = []
    for row, word, is_chosen in zip(logits, ids, chosen, strict=True):
        if is_chosen:
            powers = [exp(score - max(row)) for score in row]
            costs.append(-log(powers[word] / sum(powers)))
    return np.array(sum(costs) / len(costs))


def joined_mask(S, T):
    row, column = np.indices((S + T, S + T))
    return (column < S) | (row >= S) & (column <= row)


def patches(x, P):
    pixels = F.unfold(torch.from_numpy(x)[None, None].double(), P, stride=P)
    return pixels[0].mT.numpy()


def image_tokens(x, W, b, c, p):
    x, W, b = map(torch.from_numpy, (x, W, b))
    return np.vstack([c, F.linear(x.double(), W.double(), b.double())]) + p


def shift_image(x, right, down):
    return digits.shifted(torch.from_numpy(x)[None], right, down)[0].numpy()


def contrastive_loss(s, t):
    return clip.contrastive_loss(torch.from_numpy(s), torch.tensor(float(t)))


def best_captions(p, t):
    pictures, captions = (F.normalize(torch.from_numpy(x), dim=-1) for x in (p, t))
    return (pictures @ captions.mT).argmax(-1).numpy()


def one_sequence(caption, cells, length, words):
    read = F.pad(torch.from_numpy(caption), (0, length - len(caption)))
    return torch.cat([read, words + torch.from_numpy(cells).flatten()]).numpy()


def apply_rotary(x, positions, base):
    rates = base ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * positions[:, None] * rates)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def rms_norm(x, gamma, eps):
    rows, gain = torch.from_numpy(x), torch.from_numpy(gamma)
    return F.rms_norm(rows, (x.shape[1],), gain, eps).numpy()


def gated_feed_forward(x, W_1, W_3, W_2):
    gate = F.silu(torch.from_numpy(x @ W_1)).numpy()
    return np.einsum("tf,tf,fd->td", gate, x @ W_3, W_2)


def grouped_attention(q, k, v):
    Q, K, V = (torch.from_numpy(x)[None] for x in (q, k, v))
    return F.scaled_dot_product_attention(Q, K, V, enable_gqa=True)[0].numpy()


def block_parameters(d_model, n_heads, n_kv_heads, d_ff):
    shared = d_model // n_heads * n_kv_heads
    return d_model * (2 + 2 * d_model + 2 * shared + 3 * d_ff)


def case_1(ids):
    pairs = [(row[:-1].tolist(), row[1:].tolist()) for row in ids]
    return torch.tensor(pairs).transpose(0, 1)


def case_2(scores, mask):
    powers = scores.exp() * mask
    return powers / powers.sum(dim=-1, keepdim=True).clamp_min(1e-30)


def case_3(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def case_4(logits, labels, pad):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad)


def case_5(new, cached):
    return [cached + n for n in range(new)]


def case_6(x, p, noise):
    return torch.where(noise < p, 0.0, x / (1 - p))


def case_7(Q, K, mask):
    V = torch.eye(len(K), dtype=Q.dtype)
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)


def case_8(logits, labels, epsilon, pad):
    words = [n for n in range(logits.size(1)) if n != pad]
    target = torch.zeros_like(logits)
    target[:, words] = epsilon / len(words)
    target[range(len(labels)), labels] += 1 - epsilon
    return F.cross_entropy(logits[:, words], target[:, words], reduction="none")


def case_9(x, positions):
    rates = 10_000.0 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
    turns = torch.polar(torch.ones(1), positions[:, None] * rates)
    pairs = torch.view_as_complex(x.double().unflatten(1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(1)


def case_10(Q, K):
    return torch.einsum("td,sd->ts", Q, K) / math.sqrt(Q.shape[1])


def case_11(x, p, training):
    return torch.nn.Dropout(p).train(training)(x)


def case_12(V, D, draw):
    return [draw(V, D)] * 2


def cache_size(layers, kv_heads, d_k, tokens, window, size):
    key = np.zeros((layers, kv_heads, min(tokens, window), d_k))
    return np.array(2 * key.size * size)


def add_tile(m, z, o, scores, values):
    before = Running(*(torch.tensor(np.atleast_1d(x)) for x in (m, z, o)))
    after = update(before, torch.from_numpy(scores), torch.from_numpy(values))
    return torch.cat([*after]).numpy()


def after_draft(p, q, x):
    p, q = torch.from_numpy(p), torch.from_numpy(q)
    accepted = min(1.0, float(p[x] / q[x]))
    chosen = F.one_hot(torch.tensor(x), len(p))
    return (accepted * chosen + (1 - accepted) * residual(p, q)).numpy()


def window_mask(length, window, sinks):
    allowed = np.zeros((length, length), dtype=bool)
    for query in range(length):
        allowed[query, max(0, query - window + 1) : query + 1] = True
        allowed[query, : min(sinks, query + 1)] = True
    return allowed


def route(logits, k):
    return experts.route(torch.from_numpy(logits), k).numpy()


@pytest.mark.parametrize("name", EXERCISES)
def test_a_solution_gives_what_the_second_answer_gives(name):
    verdict = check(name, globals()[name])
    assert verdict.kind == "right", verdict.text
